import { type LineGroup, paceIn, type StatusCounts, statusCounts } from "../rules/day-counts.js";
import { type LineWaits, type WaitingEntry, waitsOf } from "../rules/line.js";
import type { LinePace, Queue } from "../rules/records.js";
import { itemOperations, maxQueues } from "./business-items.js";
import { change, view } from "./operation.js";

/** One queue on one day, with the waits of all waiting entries. */
export interface QueueDay extends LineWaits {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
}

/** A business's queues. */
export const queues = {
  ...itemOperations<Queue>("queues", maxQueues),

  /** Null if the business has no such queue. */
  day: view(
    async (tx, businessId: string, queueId: string, date: string): Promise<QueueDay | null> => {
      const day = { businessId, queueId, date };
      const [business, groups, line] = await Promise.all([
        tx.find("businesses", { id: businessId }),
        tx.count(day),
        tx.line(day),
      ]);
      const queue = business?.queues.find(({ id }) => id === queueId);
      return queue ? queueDay(queue, groups, line) : null;
    },
  ),

  /** Puts the queues in this order. Ids that are missing keep their order after the others. */
  reorder: change(async (tx, businessId: string, queueIds: readonly string[]): Promise<void> => {
    const business = await tx.find("businesses", { id: businessId });
    if (!business) return;
    const named = queueIds.flatMap((id) => business.queues.find((queue) => queue.id === id) ?? []);
    const others = business.queues.filter(({ id }) => !queueIds.includes(id));
    tx.update("businesses", business, { queues: [...new Set([...named, ...others])] });
  }),
};

/** A queue on the day of these groups, which are its own, and of this line. */
export function queueDay(
  queue: Queue,
  groups: readonly LineGroup[],
  line: readonly WaitingEntry[],
): QueueDay {
  const pace = paceIn(groups);
  const works = line.map(({ workMinutes }) => workMinutes);
  return { queue, counts: statusCounts(groups), pace, ...waitsOf(works, pace) };
}
