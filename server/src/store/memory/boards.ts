import { hash } from "node:crypto";
import type { BoardStore, QueueOnBoard } from "../port/boards.js";
import { lineOf, queueDay, servedOf } from "./line.js";
import type { Tables } from "./tables.js";

export function memoryBoards(tables: Tables): BoardStore {
  function onBoard(businessId: string, date: string): QueueOnBoard[] {
    return tables.queues.all(businessId).map((queue) => {
      const day = tables.day(queue, date);
      const line = lineOf(day);
      const people = { inService: servedOf(day), next: line[0] ?? null, line };
      return { ...queueDay(queue, day), ...people };
    });
  }

  function version(businessId: string, date: string): string {
    const services = tables.services.all(businessId);
    return hash("sha256", JSON.stringify([services, onBoard(businessId, date)]));
  }

  return {
    async get(businessId, date, { limit, part }) {
      const queues = onBoard(businessId, date).map((queue) => {
        const wanted = queue.queue.id === part?.queueId ? part : { from: 1, limit };
        const start = wanted.from - 1;
        return { ...queue, line: queue.line.slice(start, start + wanted.limit) };
      });
      const services = tables.services.all(businessId);
      return { version: version(businessId, date), services, queues };
    },

    version: async (businessId, date) => version(businessId, date),
  };
}
