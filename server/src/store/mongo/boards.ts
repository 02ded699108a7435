import type { Entry } from "../../rules/records.js";
import type { BoardStore, QueueOnBoard } from "../port/boards.js";
import { type Database, readAll, readOne } from "./connection.js";
import { entryOnly, readEntry } from "./documents.js";
import { countDay } from "./line.js";

export function mongoBoards(db: Database): BoardStore {
  const { businesses, entries } = db;

  async function readDay(businessId: string, date: string, works: boolean) {
    const [business, counts] = await Promise.all([
      readOne(
        businesses,
        { id: businessId },
        { fields: works ? { keys: 0, accounts: 0 } : { revision: 1 } },
      ),
      countDay(db, businessId, date, { works }),
    ]);
    return { business, counts, version: `${business?.revision ?? 0}.${counts.version}` };
  }

  return {
    async get(businessId, date, { limit, part }) {
      const { business, counts, version } = await readDay(businessId, date, true);
      const shown = (business?.queues ?? []).map((queue) => {
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
      const found = docs.map(readEntry);
      const queues = shown.map(({ queue, next, line }): QueueOnBoard => {
        const people = found.filter(({ queueId }) => queueId === queue.id);
        const inLine = (number: number | undefined) =>
          people.find(({ tokenNumber, status }) => tokenNumber === number && status === "WAITING");
        return {
          ...counts.queueDay(queue),
          inService: people.filter(({ status }) => status === "IN_SERVICE").sort(byCall),
          next: inLine(next) ?? null,
          line: line.flatMap((number) => inLine(number) ?? []),
        };
      });
      return { version, services: business?.services ?? [], queues };
    },

    version: async (businessId, date) => (await readDay(businessId, date, false)).version,
  };
}

function byCall(a: Entry, b: Entry): number {
  return (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.tokenNumber - b.tokenNumber;
}
