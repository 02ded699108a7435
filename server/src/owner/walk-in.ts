import { businessDay } from "../rules/business-day.js";
import { fingerprint } from "../rules/idempotency.js";
import { newId, randomText } from "../rules/ids.js";
import type { IssueRefusal } from "../rules/issue.js";
import type { Random } from "../rules/ports.js";
import type { Business } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
import type { KeyReleases } from "../store/key-releases.js";
import type { Store } from "../store/store.js";

/** Somebody who came to the counter, as whoever sits there types them in. */
export interface WalkIn {
  readonly queueId: string;
  readonly customerName: string | null;
  /** Digits with the country code. */
  readonly customerPhone: string | null;
  readonly serviceId: string | null;
  readonly priority: boolean;
}

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
  walkIn: WalkIn,
  { now, random, form, keyReleases }: Adding,
): Promise<WalkInOutcome> {
  const claimed = await store.idempotency.claim(business.id, {
    key: `form:${form}`,
    fingerprint: fingerprint("walk-in", "", {}, walkIn),
    owner: randomText(random, 24),
  });
  if (claimed.outcome === "replay") return { outcome: "added_before", token: claimed.answer.body };
  if (claimed.outcome === "reused") return { outcome: "form_used" };
  if (claimed.outcome === "in_progress") return { outcome: "in_progress" };

  const { claim } = claimed;
  try {
    const issued = await store.entries.issue(business.id, {
      ...walkIn,
      id: newId(now, random),
      date: businessDay(now, business.timezone),
      dailyTokenLimit: business.dailyTokenLimit,
      issuedAt: now,
      claim,
      answer: ({ entry }) => {
        const body = tokenLabel(entry.tokenSeries, entry.tokenNumber);
        return { status: 201, body, location: "" };
      },
      audit: null,
    });
    if (issued.outcome === "issued") return { outcome: "added", token: issued.answer.body };
    if (issued.outcome === "replay") return { outcome: "added_before", token: issued.answer.body };
    await keyReleases.afterRefusal(business.id, claimed);
    return issued;
  } catch (error) {
    await keyReleases.afterFailure(business.id, claim);
    throw error;
  }
}
