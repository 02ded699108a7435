import type { EntryStatus } from "@queue-api/contract";
import type { EntryInLine } from "../../rules/entry-answer.js";
import { averageWait, packWork, type Work } from "../../rules/line.js";
import { listDay } from "../../rules/list-day.js";
import type { Queue } from "../../rules/records.js";
import type { Page, PageRequest } from "../port/page.js";
import type { QueueDay } from "../port/queues.js";
import type { Catalogue } from "./catalogue.js";
import { Coalescer, onceForAll } from "./coalescer.js";
import { dayOf, type LineDoc } from "./collections/days.js";
import { type EntryDoc, readEntry } from "./collections/entries.js";
import type { Database, Filter } from "./connection.js";
import { Cursors } from "./cursors.js";
import {
  emptyTotals,
  type LineTotals,
  Places,
  paceOf,
  statusCounts,
  type Waiting,
} from "./line.js";
import { lineAt } from "./line-pipeline.js";
import type { LineNow, Lines } from "./lines.js";
import type { StoreTime } from "./time.js";

/** Of how many lines the average wait is remembered. */
const mostWaits = 10_000;

const waitingFields = { _id: 0, priority: 1, tokenNumber: 1, workMinutes: 1 } as const;

/** Reading queues' days and the entries in them, each in one command. */
export class Entries {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;
  readonly #lines: Lines;
  // Requests that ask at once for the same, or for entries of the same business, share one command.
  readonly #reads = new Coalescer<string, FoundEntry | null>((businessId, ids) =>
    this.#findByIds(businessId, ids),
  );
  readonly #days = new Coalescer<() => Promise<ReadDay | null>, ReadDay | null>(onceForAll);
  readonly #pages = new Coalescer<() => Promise<ReadPage | null>, ReadPage | null>(onceForAll);
  readonly #waits = new Map<string, Waits>();
  readonly #numbers = new Cursors((doc: EntryDoc) => doc.tokenNumber);

  constructor(db: Database, time: StoreTime, catalogue: Catalogue, lines: Lines) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
    this.#lines = lines;
  }

  async get(businessId: string, entryId: string): Promise<EntryInLine | null> {
    return this.#place(businessId, { _id: entryId });
  }

  async entryOfClaim(businessId: string, claimId: string): Promise<EntryInLine | null> {
    return this.#place(businessId, { claimId });
  }

  async #place(businessId: string, which: Which): Promise<EntryInLine | null> {
    for (let counted = false; ; counted = true) {
      const found = await this.#find(businessId, which);
      if (!found) return null;
      const entry = readEntry(found);
      const [day] = found.day;
      const { queueId, date } = entry;
      if (entry.status !== "WAITING") return { entry, line: null };
      if (day && !counted && this.#lines.isDoubtful({ line: day.line.v, now: found.now })) {
        await this.#lines.recount(businessId, date, queueId);
        continue;
      }
      const totals = day?.line.v ?? emptyTotals;
      const ahead = new Places(totals, entry, found.around).next(entry);
      return { entry, line: { ahead, pace: paceOf(totals) } };
    }
  }

  async #find(businessId: string, which: Which): Promise<FoundEntry | null> {
    if ("_id" in which) return this.#reads.run(businessId, which._id);
    const [found] = await this.#findAll({ businessId, ...which });
    return found ?? null;
  }

  async #findByIds(businessId: string, ids: readonly string[]): Promise<(FoundEntry | null)[]> {
    const unique = [...new Set(ids)];
    const _id = unique.length === 1 ? (unique[0] ?? "") : { $in: unique };
    const found = new Map((await this.#findAll({ businessId, _id })).map((doc) => [doc._id, doc]));
    return ids.map((id) => found.get(id) ?? null);
  }

  async #findAll(which: Filter<EntryDoc> & { businessId: string }): Promise<FoundEntry[]> {
    const { days, entries } = this.#db;
    const lineOfQueue = {
      $first: {
        $filter: {
          input: { $objectToArray: "$lines" },
          as: "line",
          cond: { $eq: ["$$line.k", "$$queueId"] },
        },
      },
    };
    return entries.raw
      .aggregate<FoundEntry>([
        { $match: which },
        { $project: { claimId: 0, receipt: 0, answer: 0, audits: 0 } },
        {
          $set: {
            dayId: { $concat: ["$businessId", ":", "$date"] },
            now: this.#time.expression(),
          },
        },
        {
          $lookup: {
            from: days.raw.collectionName,
            localField: "dayId",
            foreignField: "_id",
            let: { queueId: "$queueId" },
            pipeline: [
              { $match: { businessId: which.businessId } },
              { $project: { _id: 0, line: lineOfQueue } },
            ],
            as: "day",
          },
        },
        this.#around("block", which.businessId),
      ])
      .toArray();
  }

  /** The waiting entries of the block that a field names. */
  #around(field: string, businessId: string) {
    return {
      $lookup: {
        from: this.#db.entries.raw.collectionName,
        localField: field,
        foreignField: "block",
        pipeline: [{ $match: { businessId, status: "WAITING" } }, { $project: waitingFields }],
        as: "around",
      },
    };
  }

  async queueDay(businessId: string, queueId: string, date: string): Promise<QueueDay | null> {
    const queue = (await this.#catalogue.offer(businessId)).queues.get(queueId);
    return queue ? (await this.countedDay(queue, date)).day : null;
  }

  /** The day of a queue that was just read, with what is counted of its line. */
  async countedDay(queue: Queue, date: string): Promise<CountedDay> {
    const { id: queueId, businessId } = queue;
    for (let counted = false; ; counted = true) {
      const read = await this.#days.run(JSON.stringify([businessId, queueId, date]), () =>
        this.#readDay(businessId, queueId, date),
      );
      if (read && !counted && this.#lines.isDoubtful(read)) {
        await this.#lines.recount(businessId, date, queueId);
        continue;
      }
      const totals = read?.line ?? emptyTotals;
      const { people, average } = read?.waits ?? { people: 0, average: null };
      const counts = statusCounts(totals, people);
      const day = { queue, counts, pace: paceOf(totals), averageWaitMinutes: average };
      return { day, totals };
    }
  }

  /**
   * The average wait depends on everybody waiting. So it is remembered with the revision of its line, which
   * differs after each change, and their work is read only where the line has another one.
   */
  async #readDay(businessId: string, queueId: string, date: string): Promise<ReadDay | null> {
    const { days, entries } = this.#db;
    const key = JSON.stringify([businessId, queueId, date]);
    const known = this.#waits.get(key);
    const isKnown = {
      $and: [
        { $eq: ["$line.revision", known?.revision ?? -1] },
        { $eq: ["$line.last", known?.last ?? -1] },
      ],
    };
    const [day] = await days.raw
      .aggregate<LineNow & { readonly waiting: readonly Work[] }>([
        { $match: dayOf({ businessId, date }) },
        { $project: { _id: 0, line: lineAt(queueId) } },
        { $set: { unread: { $cond: [isKnown, "none", queueId] } } },
        {
          $lookup: {
            from: entries.raw.collectionName,
            localField: "unread",
            foreignField: "queueId",
            pipeline: [
              { $match: { businessId, date, status: "WAITING" } },
              { $sort: { priority: -1, tokenNumber: 1 } },
              { $project: { _id: 0, workMinutes: 1 } },
            ],
            as: "waiting",
          },
        },
        { $set: { waiting: "$waiting.workMinutes", now: this.#time.expression() } },
      ])
      .toArray();
    if (!day) return null;
    const { line, now } = day;
    if (known?.revision === line.revision && known.last === line.last) {
      return { line, now, waits: known };
    }
    const work = packWork(day.waiting);
    const { revision, last } = line;
    const average = averageWait([work], paceOf(line));
    const waits = { revision, last, people: work.length, average };
    // What is under way may be done to its entry now, before its revision.
    const isSettled = Object.values(line.open).every(({ n }) => n <= 0);
    this.#waits.delete(key);
    if (isSettled && !line.doubt) this.#waits.set(key, waits);
    const [oldest] = this.#waits.keys();
    if (this.#waits.size > mostWaits && oldest !== undefined) this.#waits.delete(oldest);
    return { line, now, waits };
  }

  async page(
    businessId: string,
    queueId: string,
    asked: string,
    status: EntryStatus | null,
    { limit, after, orEarlier = false }: PageRequest,
  ): Promise<Page<EntryInLine> | "queue_not_found" | "cursor_unknown"> {
    const { queues } = await this.#catalogue.offer(businessId);
    if (!queues.has(queueId)) return "queue_not_found";
    const cursor =
      after === null
        ? { date: asked, place: 0 }
        : await this.#numbers.find(this.#db.entries, after, { businessId, queueId });
    const date = cursor && listDay(asked, cursor.date, orEarlier);
    if (!cursor || date === null) return "cursor_unknown";
    const number = cursor.place;
    const list = { businessId, queueId, date };
    for (let counted = false; ; counted = true) {
      const page = JSON.stringify([businessId, queueId, date, status, number, limit]);
      const read = await this.#pages.run(page, () => this.#readPage(list, status, number, limit));
      if (!read) return { items: [], more: false };
      const anybodyWaits = read.page.some((doc) => doc.status === "WAITING");
      if (anybodyWaits && !counted && this.#lines.isDoubtful(read)) {
        await this.#lines.recount(businessId, date, queueId);
        continue;
      }
      const more = read.page.length > limit;
      const docs = read.page.slice(0, limit);
      const last = docs.at(-1);
      if (more && last) this.#numbers.remember(last);
      return { items: placed(docs, read), more };
    }
  }

  /** Numbers have few gaps, so a page of all statuses is most often found in as many numbers. */
  async #readPage(
    list: EntryList,
    status: EntryStatus | null,
    after: number,
    limit: number,
  ): Promise<ReadPage | null> {
    if (status !== null) return this.#readRange(list, { status }, { $gt: after }, limit);
    const upTo = after + limit + 1;
    const read = await this.#readRange(list, {}, { $gt: after, $lte: upTo }, limit);
    if (!read || read.page.length > limit || read.line.last <= upTo) return read;
    return this.#readRange(list, {}, { $gt: after }, limit);
  }

  async #readRange(
    list: EntryList,
    status: { readonly status?: EntryStatus },
    tokenNumber: object,
    limit: number,
  ): Promise<ReadPage | null> {
    const { days, entries } = this.#db;
    const firstWaiting = {
      $first: {
        $filter: {
          input: "$page",
          as: "entry",
          cond: { $eq: ["$$entry.status", "WAITING"] },
        },
      },
    };
    const [read] = await days.raw
      .aggregate<ReadPage>([
        { $match: dayOf(list) },
        { $project: { _id: 0, line: lineAt(list.queueId), now: this.#time.expression() } },
        {
          $lookup: {
            from: entries.raw.collectionName,
            pipeline: [
              { $match: { ...list, ...status, tokenNumber } },
              { $sort: { tokenNumber: 1 } },
              { $limit: limit + 1 },
              { $project: { claimId: 0, receipt: 0, answer: 0, audits: 0 } },
            ],
            as: "page",
          },
        },
        { $set: { start: firstWaiting } },
        { $set: { start: { $ifNull: ["$start.block", "none"] } } },
        this.#around("start", list.businessId),
      ])
      .toArray();
    return read ?? null;
  }

  /** Forgets where pages ended: what they listed may be gone. */
  forgetCursors(): void {
    this.#numbers.forgetAll();
  }
}

type Which = { readonly _id: string } | { readonly claimId: string };

interface FoundEntry extends EntryDoc {
  readonly now: number;
  readonly day: readonly { readonly line: { readonly v: LineDoc } }[];
  /** The waiting entries of its block. */
  readonly around: readonly Waiting[];
}

/** The people waiting in a line as it was at one revision. */
interface Waits {
  readonly revision: number;
  readonly last: number;
  readonly people: number;
  readonly average: number | null;
}

interface ReadDay extends LineNow {
  readonly waits: Waits;
}

/** A queue's day, and the counts that it was made from. */
interface CountedDay {
  readonly day: QueueDay;
  readonly totals: LineTotals;
}

/** The entries of a queue on one day. */
export interface EntryList {
  readonly businessId: string;
  readonly queueId: string;
  readonly date: string;
}

interface ReadPage extends LineNow {
  readonly page: readonly EntryDoc[];
  /** The waiting entries of the block of the first one that waits. */
  readonly around: readonly Waiting[];
}

/** The page's entries with their places. */
function placed(docs: readonly EntryDoc[], { line, around }: ReadPage): EntryInLine[] {
  const pace = paceOf(line);
  let places: Places | null = null;
  return docs.map((doc) => {
    const entry = readEntry(doc);
    if (entry.status !== "WAITING") return { entry, line: null };
    places ??= new Places(line, entry, around);
    return { entry, line: { ahead: places.next(entry), pace } };
  });
}
