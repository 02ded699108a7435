import type { EntryStatus } from "@queue-api/contract";
import type { LinePace } from "../../rules/line.js";
import type { Queue } from "../../rules/records.js";

export type StatusCounts = Readonly<Record<EntryStatus, number>>;

/** One queue on one day. */
export interface QueueDay {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
  /** Computed by `averageWait` from all waiting entries. */
  readonly averageWaitMinutes: number | null;
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
