import { limits } from "@queue-api/contract/limits";
import { businessDay } from "./business-day.js";
import { newId } from "./ids.js";
import type { Random } from "./ports.js";
import type { Business, Customer, Entry, Queue, Service } from "./records.js";

/** A request for a token. */
export interface TokenRequest extends Customer {
  /** Id of the new entry. */
  readonly id: string;
  readonly queueId: string;
  /** The business day of the entry. */
  readonly date: string;
  readonly serviceId: string | null;
  readonly priority: boolean;
  readonly issuedAt: number;
  /** The appointment that the person came for. Default: null, none. */
  readonly appointmentId?: string | null;
}

/** The person of a token, and what they ask for. */
export type CustomerRequest = Omit<TokenRequest, "id" | "date" | "issuedAt" | "appointmentId">;

/**
 * A request for a token of today. `issuedAt`: the stored time of issue. Default: `now`. `id`: of the new entry. Default: a
 * new one.
 */
export function tokenRequest(
  business: Business,
  customer: CustomerRequest,
  {
    now,
    random,
    issuedAt = now,
    id = newId(now, random),
  }: {
    readonly now: number;
    readonly random: Random;
    readonly issuedAt?: number;
    readonly id?: string;
  },
): TokenRequest {
  return { ...customer, id, date: businessDay(now, business.timezone), issuedAt };
}

/** The facts that decide whether a token may be issued. */
export interface CreationFacts {
  readonly queue: Queue | null;
  /** The requested service; null if the business has no service with that id. */
  readonly service: Service | null;
  readonly dailyTokenLimit: Business["dailyTokenLimit"];
  /** The last sequence of the business's day; 0 if there is none. */
  readonly lastSequenceInDay: number;
  /** The last number that the queue gave on that day, also to people who left it; 0 if there is none. */
  readonly lastNumber: number;
}

/** The reason why a token is not issued. */
export type CreationRefusal =
  | "queue_not_found"
  | "queue_unavailable"
  | "queue_paused"
  | "service_unknown"
  | "plan_limit_reached";

/**
 * Why a token must not be issued, or null if it may be. An inactive queue takes precedence over a paused one.
 */
export function refuseCreation(
  serviceAsked: boolean,
  facts: CreationFacts,
): CreationRefusal | null {
  if (!facts.queue) return "queue_not_found";
  if (serviceAsked && !facts.service?.active) return "service_unknown";
  const { dailyTokenLimit, lastSequenceInDay } = facts;
  const refusal = refuseToken(facts.queue, facts.lastNumber);
  if (refusal) return refusal;
  if (dailyTokenLimit !== null && lastSequenceInDay >= dailyTokenLimit) return "plan_limit_reached";
  return null;
}

/** Why a queue gives no number, to a new person or to one from another queue; null if it does. */
export function refuseToken(queue: Queue, lastNumber: number) {
  if (!queue.isActive) return "queue_unavailable";
  if (queue.isTokenCreationPaused) return "queue_paused";
  if (lastNumber >= limits.queueTokensPerDay) return "plan_limit_reached";
  return null;
}

/** The fields of an entry that has not changed since it was issued. */
export const untouched = {
  revision: 0,
  calls: 0,
  calledAgainAt: null,
  counter: null,
  earlierTokens: [],
} as const;

/**
 * The entry of a token that {@link refuseCreation} lets pass. It waits, and keeps its series and work if the
 * queue or service changes.
 */
export function newEntry(
  request: TokenRequest,
  queue: Queue,
  { service, lastNumber, lastSequenceInDay }: Omit<CreationFacts, "queue" | "dailyTokenLimit">,
): Entry {
  return {
    id: request.id,
    businessId: queue.businessId,
    queueId: queue.id,
    date: request.date,
    tokenSeries: queue.tokenSeries,
    tokenNumber: lastNumber + 1,
    status: "WAITING",
    priority: request.priority,
    serviceId: request.serviceId,
    workMinutes: service?.baseTimeMinutes ?? null,
    customerName: request.customerName,
    customerPhone: request.customerPhone,
    phoneIsInternational: request.phoneIsInternational,
    issuedAt: request.issuedAt,
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    sequenceInDay: lastSequenceInDay + 1,
    appointmentId: request.appointmentId ?? null,
    ...untouched,
  };
}
