import type { Entry } from "../../rules/records.js";
import type { BoardStore, QueueOnBoard } from "../port/boards.js";
import { type Database, readAll, readOne } from "./connection.js";
import { entryOnly, readEntry } from "./documents.js";
import { countDay, dayVersion } from "./line.js";

export function mongoBoards(db: Database): BoardStore {
  const { businesses, entries } = db;

  const business = (id: string, fields: object) => readOne(businesses, { id }, { fields });

  return {
    async get(businessId, date, { limit, part }) {
      const [found, counts] = await Promise.all([
        business(businessId, { keys: 0, accounts: 0 }),
        countDay(db, businessId, date, { numbers: true }),
      ]);
      const shown = (found?.queues ?? []).map((queue) => {
        const line = counts.line(queue.id).map(({ tokenNumber }) => tokenNumber);
        const start = queue.id === part?.queueId ? part.from - 1 : 0;
        const end = start + (queue.id === part?.queueId ? part.limit : limit);
        return { queue, next: line[0], line: line.slice(start, end) };
      });
      const lines = shown.flatMap(({ queue: { id }, next, line }) =>
        next === undefined ? [] : [{ queueId: id, tokenNumber: { $in: [next, ...line] } }],
      );
      const docs = await readAll(
        entries,
        { businessId, date, $or: [{ status: "IN_SERVICE" }, ...lines] },
        { fields: entryOnly },
      );
      const all = docs.map(readEntry);
      const queues = shown.map(({ queue, next, line }): QueueOnBoard => {
        const people = all.filter(({ queueId }) => queueId === queue.id);
        const inLine = (number: number | undefined) =>
          people.find(({ tokenNumber, status }) => tokenNumber === number && status === "WAITING");
        return {
          ...counts.queueDay(queue),
          inService: people.filter(({ status }) => status === "IN_SERVICE").sort(byCall),
          next: inLine(next) ?? null,
          line: line.flatMap((number) => inLine(number) ?? []),
        };
      });
      const version = `${found?.revision ?? 0}.${counts.version}`;
      return { version, services: found?.services ?? [], queues };
    },

    async version(businessId, date) {
      const [found, day] = await Promise.all([
        business(businessId, { revision: 1 }),
        dayVersion(db, businessId, date),
      ]);
      return `${found?.revision ?? 0}.${day}`;
    },
  };
}

function byCall(a: Entry, b: Entry): number {
  return (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.tokenNumber - b.tokenNumber;
}
