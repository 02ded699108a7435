import type { EntryStatus } from "@queue-api/contract";
import type { LinePace, Work } from "../../rules/line.js";
import type { Queue } from "../../rules/records.js";

export type StatusCounts = Readonly<Record<EntryStatus, number>>;

/** One queue on one day. */
export interface QueueDay {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
  /** The work of each waiting entry, in the order in which they will be called. */
  readonly waiting: readonly Work[];
}

/** What of a queue can be changed. A token keeps the letters it was issued with. */
export type QueueChange = Partial<Omit<Queue, "id" | "businessId">>;

/** A business's queues. */
export interface QueueStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Queue[]>;
  /** Null when the business has no such queue. */
  day(businessId: string, queueId: string, date: string): Promise<QueueDay | null>;
  add(businessId: string, queue: Queue): Promise<void>;
  /** Null when the business has no such queue. */
  change(businessId: string, queueId: string, change: QueueChange): Promise<Queue | null>;
}
