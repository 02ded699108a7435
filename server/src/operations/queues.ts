import { paceIn, type StatusCounts, statusCounts } from "../rules/day-counts.js";
import { type LinePace, type LineWaits, waitsOf } from "../rules/line.js";
import type { Queue } from "../rules/records.js";
import {
  addItem,
  changeItem,
  isItemInUse,
  listItems,
  mostQueues,
  removeItem,
} from "./business-items.js";
import { change, view } from "./operation.js";

/** One queue on one day, with the waits of all waiting entries. */
export interface QueueDay extends LineWaits {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
}

/** A business's queues. A change leaves tokens that are already issued their series. */
export const queues = {
  /** In their order. */
  list: view((tx, businessId: string) => listItems(tx, businessId, "queues")),

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
      if (!queue) return null;
      const pace = paceIn(groups);
      const works = line.map(({ workMinutes }) => workMinutes);
      return { queue, counts: statusCounts(groups), pace, ...waitsOf(works, pace) };
    },
  ),

  /** Adds a queue at the end. `exists` if the business has one with its id: the same form was sent twice. */
  add: change((tx, businessId: string, queue: Queue) =>
    addItem(tx, businessId, "queues", queue, mostQueues),
  ),

  /**
   * Null if the business has no such queue. `seen`: the revision that the change was decided on. Default: null, any.
   * Throws `StaleError`.
   */
  change: change(
    (
      tx,
      businessId: string,
      queueId: string,
      asked: Partial<Omit<Queue, "id" | "businessId" | "revision">>,
      seen: number | null = null,
    ) => changeItem(tx, businessId, "queues", queueId, asked, seen),
  ),

  /** Puts the queues in this order. Ids that are missing keep their order after the others. */
  reorder: change(async (tx, businessId: string, queueIds: readonly string[]): Promise<void> => {
    const business = await tx.find("businesses", { id: businessId });
    if (!business) return;
    const named = queueIds.flatMap((id) => business.queues.find((queue) => queue.id === id) ?? []);
    const others = business.queues.filter(({ id }) => !queueIds.includes(id));
    tx.update("businesses", business, { queues: [...new Set([...named, ...others])] });
  }),

  /** Whether an entry refers to it, or may soon, so that it cannot be removed. */
  isInUse: view((tx, businessId: string, queueId: string) => isItemInUse(tx, businessId, queueId)),

  /** `in_use`: an entry refers to it, or may soon, so it stays. */
  remove: change((tx, businessId: string, queueId: string) =>
    removeItem(tx, businessId, "queues", queueId),
  ),
};
