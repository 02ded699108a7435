import type { Customer } from "../rules/issue.js";
import type { Business } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { type IssueOnceContext, type IssueOnceOutcome, issueOnce } from "./issue-once.js";

/** Issues a token of today to a customer at the counter. Sending the same form again issues no second token. */
export function addWalkIn(
  store: Store,
  business: Business,
  customer: Customer,
  { form, ...context }: IssueOnceContext & { readonly form: string },
): Promise<IssueOnceOutcome> {
  return issueOnce(store, business, customer, { name: `form:${form}`, content: customer }, context);
}
