import { readReceipt } from "../rules/entry-answer.js";
import { fingerprint } from "../rules/idempotency.js";
import { randomText } from "../rules/ids.js";
import type { IssueRefusal } from "../rules/issue.js";
import type { Random } from "../rules/ports.js";
import type { AuditRow, Business } from "../rules/records.js";
import { type Customer, issueToken } from "../store/issue-token.js";
import type { KeyReleases } from "../store/key-releases.js";
import type { Store } from "../store/store.js";

/** An issued token, as the staff name it. */
interface Issued {
  readonly token: string;
  readonly entryId: string;
}

export type IssueOnceOutcome =
  | ({ readonly outcome: "added" } & Issued)
  /** The same was asked for before, and led to this token. */
  | ({ readonly outcome: "added_before" } & Issued)
  /** The same is being worked on. */
  | { readonly outcome: "in_progress" }
  /** The same name was given to something else before. */
  | { readonly outcome: "name_used" }
  | { readonly outcome: IssueRefusal };

/** What makes several attempts one. */
interface Once {
  /** What is asked for, such as `form:x1`. No Idempotency-Key of the API has a colon. */
  readonly name: string;
  /** What has to be the same in each attempt. */
  readonly content: unknown;
}

export interface IssueOnceContext {
  readonly now: number;
  readonly random: Random;
  readonly keyReleases: KeyReleases;
  /** Kept in the same step as the token. Default: none. */
  readonly audit?: AuditRow | null;
}

/** Issues a token of today at most once for a name, which is remembered like an Idempotency-Key for 24 hours. */
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
