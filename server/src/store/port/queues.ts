import type { EntryStatus } from "@queue-api/contract";
import type { LinePace } from "../../rules/line.js";
import type { Queue } from "../../rules/records.js";

export type StatusCounts = Readonly<Record<EntryStatus, number>>;

/** One queue on one day. */
export interface QueueDay {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
  /** As `averageWait` computes it from every waiting entry. */
  readonly averageWaitMinutes: number | null;
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
