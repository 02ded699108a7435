import { readReceipt } from "../rules/entry-answer.js";
import { fingerprint } from "../rules/idempotency.js";
import { randomText } from "../rules/ids.js";
import type { IssueRefusal } from "../rules/issue.js";
import type { Random } from "../rules/ports.js";
import type { Business } from "../rules/records.js";
import { type Customer, issueToken } from "../store/issue-token.js";
import type { KeyReleases } from "../store/key-releases.js";
import type { Store } from "../store/store.js";

export type WalkInOutcome =
  | { readonly outcome: "added"; readonly token: string }
  /** The same form was sent before, and its person has this token. */
  | { readonly outcome: "added_before"; readonly token: string }
  /** The same form is being worked on. */
  | { readonly outcome: "in_progress" }
  /** The same form was sent before with something else in it. */
  | { readonly outcome: "form_used" }
  | { readonly outcome: IssueRefusal };

interface Adding {
  readonly now: number;
  readonly random: Random;
  /** Names the form: however often it is sent, it adds one person. */
  readonly form: string;
  readonly keyReleases: KeyReleases;
}

/**
 * Gives a token of today to somebody at the counter. A form is remembered like an Idempotency-Key of the
 * API, under a name that no such key can have.
 */
export async function addWalkIn(
  store: Store,
  business: Business,
  customer: Customer,
  { now, random, form, keyReleases }: Adding,
): Promise<WalkInOutcome> {
  const claimed = await store.idempotency.claim(business.id, {
    key: `form:${form}`,
    fingerprint: fingerprint("walk-in", "", {}, customer),
    owner: randomText(random, 24),
  });
  if (claimed.outcome === "replay")
    return { outcome: "added_before", token: tokenOn(claimed.receipt) };
  if (claimed.outcome === "reused") return { outcome: "form_used" };
  if (claimed.outcome === "in_progress") return { outcome: "in_progress" };

  const { claim } = claimed;
  try {
    const issued = await issueToken(store, business, customer, { now, random, claim });
    if (issued.outcome === "issued") return { outcome: "added", token: tokenOn(issued.receipt) };
    if (issued.outcome === "replay")
      return { outcome: "added_before", token: tokenOn(issued.receipt) };
    await keyReleases.afterRefusal(business.id, claimed);
    return issued;
  } catch (error) {
    await keyReleases.afterFailure(business.id, claim);
    throw error;
  }
}

function tokenOn(receipt: string): string {
  return readReceipt(receipt).data.token;
}
