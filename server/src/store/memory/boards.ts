import { hash } from "node:crypto";
import type { BoardStore, QueueOnBoard } from "../port/boards.js";
import { lineOf, servedOf } from "./line.js";
import { queueDay } from "./queues.js";
import { ownedBy, type Tables } from "./tables.js";

export function memoryBoards(tables: Tables): BoardStore {
  function onBoard(businessId: string, date: string): QueueOnBoard[] {
    return ownedBy(businessId, tables.queues).map((queue) => {
      const day = tables.day(queue.id, date);
      return {
        ...queueDay(tables, queue, date),
        inService: servedOf(day),
        line: lineOf(day),
      };
    });
  }

  function version(businessId: string, date: string): string {
    const services = ownedBy(businessId, tables.services);
    return hash("sha256", JSON.stringify([services, onBoard(businessId, date)]));
  }

  return {
    async get(businessId, date, { limit, wholeLine }) {
      const queues = onBoard(businessId, date).map((queue) => {
        const shown = queue.queue.id === wholeLine ? queue.line.length : limit;
        return { ...queue, line: queue.line.slice(0, shown) };
      });
      const services = ownedBy(businessId, tables.services);
      return { version: version(businessId, date), services, queues };
    },

    version: async (businessId, date) => version(businessId, date),
  };
}
