import { readReceipt } from "../rules/entry-answer.js";
import { fingerprint } from "../rules/idempotency.js";
import { randomText } from "../rules/ids.js";
import type { IssueRefusal } from "../rules/issue.js";
import type { Random } from "../rules/ports.js";
import type { AuditRow, Business } from "../rules/records.js";
import { type Customer, issueToken } from "../store/issue-token.js";
import type { KeyReleases } from "../store/key-releases.js";
import type { Store } from "../store/store.js";

/** An issued token and its entry. */
interface Issued {
  readonly token: string;
  readonly entryId: string;
}

export type IssueOnceOutcome =
  | ({ readonly outcome: "added" } & Issued)
  /** An earlier attempt with the same name issued this token. */
  | ({ readonly outcome: "added_before" } & Issued)
  /** Another attempt with the same name is running. */
  | { readonly outcome: "in_progress" }
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

export interface IssueOnceContext {
  readonly now: number;
  readonly random: Random;
  readonly keyReleases: KeyReleases;
  /** Stored in the same step as the token. Default: none. */
  readonly audit?: AuditRow | null;
}

/** Issues a token of today at most once per name. The name is stored for 24 hours, like an Idempotency-Key. */
export async function issueOnce(
  store: Store,
  business: Business,
  customer: Customer,
  { name, content }: Once,
  { now, random, keyReleases, audit = null }: IssueOnceContext,
): Promise<IssueOnceOutcome> {
  const claimed = await store.idempotency.claim(business.id, {
    key: name,
    fingerprint: fingerprint(name.split(":", 1)[0] ?? "", "", {}, content),
    owner: randomText(random, 24),
  });
  if (claimed.outcome === "replay")
    return { outcome: "added_before", ...issuedBy(claimed.receipt) };
  if (claimed.outcome === "reused") return { outcome: "name_used" };
  if (claimed.outcome === "in_progress") return { outcome: "in_progress" };

  const { claim } = claimed;
  try {
    const issued = await issueToken(store, business, customer, { now, random, claim, audit });
    if (issued.outcome === "issued") return { outcome: "added", ...issuedBy(issued.receipt) };
    if (issued.outcome === "replay")
      return { outcome: "added_before", ...issuedBy(issued.receipt) };
    await keyReleases.afterRefusal(business.id, claimed);
    return issued;
  } catch (error) {
    await keyReleases.afterFailure(business.id, claim);
    throw error;
  }
}

function issuedBy(receipt: string): Issued {
  const { id: entryId, token } = readReceipt(receipt).data;
  return { entryId, token };
}
