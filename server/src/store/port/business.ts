import type { EntryStatus } from "@queue-api/contract";
import type { KeyChange } from "../../rules/key.js";
import type { LinePace, LineWaits } from "../../rules/line.js";
import type { ApiKey, Business, KeyInUse, Queue, Service } from "../../rules/records.js";
import type { ListedStore } from "./records.js";

/** The fields of a business that can change; an absent field stays unchanged. */
type BusinessChange = Partial<
  Pick<
    Business,
    "apiAccess" | "dailyTokenLimit" | "sandbox" | "longWaitMinutes" | "displayHash" | "displayQuery"
  >
>;

/** The kinds of records by which `find` finds their business. */
export type OwnedKind = "key" | "queue" | "entry" | "appointment";

/** Businesses and their settings. */
export interface BusinessStore {
  /** Every business, in the order in which they were added. */
  list(): Promise<readonly Business[]>;
  /** The business with this value in a field, or to which the record of a kind with this id belongs. */
  find(by: "id" | "slug" | "displayHash" | OwnedKind, value: string): Promise<Business | null>;
  /** Null if the business does not exist. */
  change(businessId: string, change: BusinessChange): Promise<Business | null>;
}

export type AddKeyOutcome = "added" | "exists" | "too_many_active";

/** A business's API keys, as its owner manages them. */
export interface KeyStore {
  /** In the order in which they were created. */
  list(businessId: string): Promise<readonly KeyInUse[]>;
  /** Adds a key unless its id exists or the business has the maximum number of active keys. */
  add(businessId: string, key: ApiKey): Promise<AddKeyOutcome>;
  /** Applies `revokedOnce` of the change, from the next request on. Null if the business has no such key. */
  change(businessId: string, keyId: string, change: KeyChange): Promise<KeyInUse | null>;
}

export type StatusCounts = Readonly<Record<EntryStatus, number>>;

/** One queue on one day, with the waits of all waiting entries. */
export interface QueueDay extends LineWaits {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
}

/**
 * A business's queues. One that gave a token cannot be removed. A change leaves tokens that are already issued
 * their series.
 */
export interface QueueStore extends ListedStore<Queue> {
  /** Null if the business has no such queue. */
  day(businessId: string, queueId: string, date: string): Promise<QueueDay | null>;
  /** Puts the queues in this order. Ids that are missing keep their order after the others. */
  reorder(businessId: string, queueIds: readonly string[]): Promise<void>;
}

/**
 * A business's services. One that an entry or an appointment has cannot be removed. A change leaves tokens that
 * are already issued their work.
 */
export type ServiceStore = ListedStore<Service>;
