import type { Business, Entry, Queue, Service } from "./records.js";

/** A request for a token. */
export interface TokenRequest {
  /** Id of the new entry. */
  readonly id: string;
  readonly queueId: string;
  /** The business day of the entry. */
  readonly date: string;
  readonly dailyTokenLimit: number | null;
  readonly serviceId: string | null;
  readonly customerName: string | null;
  readonly customerPhone: string | null;
  readonly priority: boolean;
  readonly issuedAt: number;
}

/** The facts that decide whether a token may be issued. */
export interface IssueFacts {
  readonly queue: Queue | null;
  /** The requested service; null if the business has no service with that id. */
  readonly service: Service | null;
  /** Tokens that the business has created on that day. */
  readonly createdToday: number;
  readonly dailyTokenLimit: Business["dailyTokenLimit"];
}

/** The reason why a token is not issued. */
export type IssueRefusal =
  | "queue_not_found"
  | "queue_unavailable"
  | "queue_paused"
  | "service_unknown"
  | "plan_limit_reached";

/**
 * Why a token must not be issued, or null if it may be. An inactive queue takes precedence over a paused one.
 */
export function refuseIssue(serviceAsked: boolean, facts: IssueFacts): IssueRefusal | null {
  if (!facts.queue) return "queue_not_found";
  if (serviceAsked && !facts.service?.active) return "service_unknown";
  if (!facts.queue.isActive) return "queue_unavailable";
  if (facts.queue.isTokenCreationPaused) return "queue_paused";
  const { dailyTokenLimit, createdToday } = facts;
  if (dailyTokenLimit !== null && createdToday >= dailyTokenLimit) return "plan_limit_reached";
  return null;
}

/** The fields of an entry that has not changed since it was issued. */
export const untouched = {
  ...{ revision: 0, calls: 0, counter: null },
  ...{ transferredTo: null, transferredFrom: null },
} as const;

/**
 * The entry of a token with this number. It waits, and keeps its series and work if the queue or service
 * changes.
 */
export function newEntry(
  request: TokenRequest,
  { queue, service, tokenNumber }: { queue: Queue; service: Service | null; tokenNumber: number },
): Entry {
  return {
    id: request.id,
    businessId: queue.businessId,
    queueId: queue.id,
    date: request.date,
    tokenSeries: queue.tokenSeries,
    tokenNumber,
    status: "WAITING",
    priority: request.priority,
    serviceId: request.serviceId,
    workMinutes: service?.baseTimeMinutes ?? null,
    customerName: request.customerName,
    customerPhone: request.customerPhone,
    issuedAt: request.issuedAt,
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    ...untouched,
  };
}
