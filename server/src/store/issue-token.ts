import { businessDay } from "../rules/business-day.js";
import type { Claim } from "../rules/idempotency.js";
import { newId } from "../rules/ids.js";
import type { TokenRequest } from "../rules/issue.js";
import type { Random } from "../rules/ports.js";
import type { AuditRow, Business } from "../rules/records.js";
import type { IssueOutcome } from "./port/entries.js";
import type { Store } from "./store.js";

/** The customer of a token, and the requested service. */
export type Customer = Pick<
  TokenRequest,
  "queueId" | "serviceId" | "customerName" | "customerPhone" | "priority"
>;

export interface IssueContext {
  /** The store's time. It decides the business day of the token. */
  readonly now: number;
  readonly random: Random;
  /** The time stored as the entry's time of issue. Default: `now`. */
  readonly issuedAt?: number;
  /** The claim of the idempotency key, if the creation has one. */
  readonly claim?: Claim | null;
  /** The audit row, if an API request creates the entry. */
  readonly audit?: AuditRow | null;
}

/** Issues a token for today. The API, the counter and the demo use it. */
export function issueToken(
  store: Pick<Store, "entries">,
  business: Business,
  { queueId, serviceId, customerName, customerPhone, priority }: Customer,
  { now, random, issuedAt = now, claim = null, audit = null }: IssueContext,
): Promise<IssueOutcome> {
  return store.entries.issue(business.id, {
    id: newId(now, random),
    date: businessDay(now, business.timezone),
    dailyTokenLimit: business.dailyTokenLimit,
    ...{ queueId, serviceId, customerName, customerPhone, priority, issuedAt, claim, audit },
  });
}
