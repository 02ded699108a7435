import type { Entry } from "../../rules/records.js";
import type { BoardStore, QueueOnBoard } from "../port/boards.js";
import type { Database } from "./connection.js";
import {
  type BusinessDoc,
  type EntryDoc,
  entryOnly,
  readEntry,
  readQueue,
  readService,
} from "./documents.js";
import { repeatable } from "./guard.js";
import { countDay } from "./line.js";

export function mongoBoards(db: Database): BoardStore {
  const { businesses, entries } = db;

  async function readDay(businessId: string, date: string, works: boolean) {
    const [business, counts] = await Promise.all([
      repeatable(() =>
        businesses
          .findOne({ id: businessId }, works ? { keys: 0, accounts: 0 } : { revision: 1 })
          .lean<BusinessDoc>(),
      ),
      repeatable(() => countDay(db, businessId, date, { works })),
    ]);
    return { business, counts, version: `${business?.revision ?? 0}.${counts.version}` };
  }

  return {
    async get(businessId, date, { limit, part }) {
      const { business, counts, version } = await readDay(businessId, date, true);
      const shown = (business?.queues ?? []).map((doc) => {
        const line = counts.line(doc.id).map(({ tokenNumber }) => tokenNumber);
        const start = doc.id === part?.queueId ? part.from - 1 : 0;
        const end = start + (doc.id === part?.queueId ? part.limit : limit);
        return { doc, next: line[0], line: line.slice(start, end) };
      });
      const lines = shown.flatMap(({ doc: { id }, next, line }) =>
        next === undefined ? [] : [{ queueId: id, tokenNumber: { $in: [next, ...line] } }],
      );
      const docs = await repeatable(() =>
        entries
          .find({ businessId, date, $or: [{ status: "IN_SERVICE" }, ...lines] }, entryOnly)
          .lean<EntryDoc[]>(),
      );
      const found = docs.map(readEntry);
      const queues = shown.map(({ doc, next, line }): QueueOnBoard => {
        const people = found.filter(({ queueId }) => queueId === doc.id);
        const inLine = (number: number | undefined) =>
          people.find(({ tokenNumber, status }) => tokenNumber === number && status === "WAITING");
        return {
          ...counts.queueDay(readQueue(businessId, doc)),
          inService: people.filter(({ status }) => status === "IN_SERVICE").sort(byCall),
          next: inLine(next) ?? null,
          line: line.flatMap((number) => inLine(number) ?? []),
        };
      });
      const services = business?.services.map((doc) => readService(businessId, doc)) ?? [];
      return { version, services, queues };
    },

    version: async (businessId, date) => (await readDay(businessId, date, false)).version,
  };
}

function byCall(a: Entry, b: Entry): number {
  return (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.tokenNumber - b.tokenNumber;
}
