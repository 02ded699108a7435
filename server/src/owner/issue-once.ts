import { fingerprint } from "../rules/idempotency.js";
import { type Customer, type IssueRefusal, tokenRequest } from "../rules/issue.js";
import type { AuditRow, Business } from "../rules/records.js";
import { readReceipt } from "../rules/resources.js";
import type { Store } from "../store/store.js";
import type { CreationContext } from "./creation-context.js";

/** An issued token and its entry. */
interface Issued {
  readonly token: string;
  readonly entryId: string;
}

export type IssueOnceOutcome =
  | ({ readonly outcome: "added" } & Issued)
  /** An earlier attempt with the same name issued this token. */
  | ({ readonly outcome: "added_before" } & Issued)
  /** An earlier attempt with the same name had another content. */
  | { readonly outcome: "name_used" }
  | { readonly outcome: IssueRefusal };

/** Identifies attempts that may issue only one token. */
interface Once {
  /** The name of the attempts, for example `form:x1`. An Idempotency-Key of the API cannot contain a colon. */
  readonly name: string;
  /** The content of the request, which must be the same in each attempt. */
  readonly content: unknown;
}

export interface IssueOnceContext extends CreationContext {
  /** Stored in the same step as the token. Default: none. */
  readonly audit?: AuditRow | null;
}

/** Issues a token of today at most once per name. The name is stored for 24 hours, like an Idempotency-Key. */
export async function issueOnce(
  store: Pick<Store, "entries">,
  business: Business,
  customer: Customer,
  { name, content }: Once,
  { audit = null, ...context }: IssueOnceContext,
): Promise<IssueOnceOutcome> {
  const issued = await store.entries.issue(business.id, {
    ...tokenRequest(business, customer, context),
    keyed: { key: name, fingerprint: fingerprint(name.split(":", 1)[0] ?? "", "", {}, content) },
    audit,
  });
  switch (issued.outcome) {
    case "issued":
      return { outcome: "added", ...issuedBy(issued.receipt) };
    case "replay":
      return { outcome: "added_before", ...issuedBy(issued.receipt) };
    case "reused":
      return { outcome: "name_used" };
    default:
      return issued;
  }
}

function issuedBy(receipt: string): Issued {
  const { id: entryId, token } = readReceipt(receipt).data;
  return { entryId, token };
}
