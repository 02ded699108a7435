import type { Store } from "../operations/store.js";
import { fingerprint } from "../rules/idempotency.js";
import { type Customer, type IssueRefusal, tokenRequest } from "../rules/issue.js";
import type { Business, Receipt } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
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

/** Issues a token of today at most once per name. The name is stored for 24 hours, like an Idempotency-Key. */
export async function issueOnce(
  store: Pick<Store, "entries">,
  business: Business,
  customer: Customer,
  { name, content }: Once,
  context: CreationContext,
): Promise<IssueOnceOutcome> {
  const issued = await store.entries.issue(business.id, {
    ...tokenRequest(business, customer, context),
    keyed: { key: name, fingerprint: fingerprint(name.split(":", 1)[0] ?? "", "", {}, content) },
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

function issuedBy({ entry }: Receipt): Issued {
  return { entryId: entry.id, token: tokenLabel(entry) };
}
