import type { EntryStatus } from "@queue-api/contract";
import type { Ahead, LinePace } from "../../rules/line.js";
import type { ApiKey, Business, KeyInUse, Queue, Service } from "../../rules/records.js";

/** The fields of a business that can change; an absent field stays unchanged. */
type BusinessChange = Partial<
  Pick<Business, "apiAccess" | "dailyTokenLimit" | "sandbox" | "longWaitMinutes" | "displayHash">
>;

/** The kinds of records for which `idOf` finds the business. */
export type OwnedKind = "key" | "queue" | "entry" | "appointment";

/** Businesses and their settings. */
export interface BusinessStore {
  /** Every business, in the order in which they were added. */
  list(): Promise<readonly Business[]>;
  get(businessId: string): Promise<Business | null>;
  bySlug(slug: string): Promise<Business | null>;
  /** The business whose waiting-room display has this hash. */
  byDisplay(displayHash: string): Promise<Business | null>;
  /** The id of the business that a record belongs to, or null if the record does not exist. */
  idOf(kind: OwnedKind, id: string): Promise<string | null>;
  /** Null if the business does not exist. */
  change(businessId: string, change: BusinessChange): Promise<Business | null>;
}

export type AddKeyOutcome = "added" | "exists" | "too_many_active";

/** The fields of a key that can change; an absent field stays unchanged. */
export type KeyChange = Partial<
  Pick<ApiKey, "name" | "allowIps" | "requestsPerMinute" | "writesPerMinute">
>;

/** A business's API keys, as its owner manages them. */
export interface KeyStore {
  /** In the order in which they were created. */
  list(businessId: string): Promise<readonly KeyInUse[]>;
  /** Adds a key unless its id exists or the business has the maximum number of active keys. */
  add(businessId: string, key: ApiKey): Promise<AddKeyOutcome>;
  /** Takes effect from the next request on. False if the business has no such key. */
  change(businessId: string, keyId: string, change: KeyChange): Promise<boolean>;
  /** False if the business has no such key. Revoking a key again keeps the first time. */
  revoke(businessId: string, keyId: string, now: number): Promise<boolean>;
}

export type StatusCounts = Readonly<Record<EntryStatus, number>>;

/** One queue on one day. */
export interface QueueDay {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
  /** This and the next are computed by `waitsOf` from all waiting entries. */
  readonly averageWaitMinutes: number | null;
  readonly aheadOfNew: Ahead;
}

/** The result of adding a record whose id the caller chose. */
export type AddOutcome = "added" | "exists";

/** The result of removing a record. `in_use`: another record refers to it, so it stays. */
export type RemoveOutcome = "removed" | "in_use" | "not_found";

/** The fields of a queue that can change. Tokens that are already issued keep their series. */
export type QueueChange = Partial<Omit<Queue, "id" | "businessId">>;

/** A business's queues. */
export interface QueueStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Queue[]>;
  /** Null if the business has no such queue. */
  day(businessId: string, queueId: string, date: string): Promise<QueueDay | null>;
  /** `exists` if the business has a queue with that id: the same form was sent twice. */
  add(businessId: string, queue: Queue): Promise<AddOutcome>;
  /** Null if the business has no such queue. */
  change(businessId: string, queueId: string, change: QueueChange): Promise<Queue | null>;
  /** Puts the queues in this order. Ids that are missing keep their order after the others. */
  reorder(businessId: string, queueIds: readonly string[]): Promise<void>;
  /** Removes a queue that never gave a token. */
  remove(businessId: string, queueId: string): Promise<RemoveOutcome>;
}

/** The fields of a service that can change. Tokens that are already issued keep their work. */
type ServiceChange = Partial<Omit<Service, "id" | "businessId">>;

/** A business's services. */
export interface ServiceStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Service[]>;
  /** `exists` if the business has a service with that id. */
  add(businessId: string, service: Service): Promise<AddOutcome>;
  /** Null if the business has no such service. */
  change(businessId: string, serviceId: string, change: ServiceChange): Promise<Service | null>;
  /** Removes a service that no entry and no appointment has. */
  remove(businessId: string, serviceId: string): Promise<RemoveOutcome>;
}
