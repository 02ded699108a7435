import type { Queue } from "../../rules/records.js";
import type { QueueDay, QueueStore } from "../port/queues.js";
import { dayOf } from "./line.js";
import { changeOne, owned, ownedBy, type Tables } from "./tables.js";

export function memoryQueues(tables: Tables): QueueStore {
  const { queues } = tables;
  return {
    list: async (businessId) => ownedBy(businessId, queues),

    async day(businessId, queueId, date) {
      const queue = owned(businessId, queues.get(queueId));
      return queue && queueDay(tables, queue, date);
    },

    async add(_businessId, queue) {
      queues.set(queue.id, queue);
    },

    change: async (businessId, queueId, change) => changeOne(queues, businessId, queueId, change),
  };
}

/** A queue on one day. */
export function queueDay(tables: Tables, queue: Queue, date: string): QueueDay {
  return { queue, ...dayOf(tables.day(queue.id, date)) };
}
