import type { EntryStatus } from "@queue-api/contract";
import { type EntryInLine, encodedEntryList } from "../../rules/entry-answer.js";
import { averageWait, packWork, type Work } from "../../rules/line.js";
import type { Page } from "../../rules/list-answer.js";
import { listDay } from "../../rules/list-day.js";
import type { Entry, Queue } from "../../rules/records.js";
import type { PageRequest } from "../port/page.js";
import type { QueueDay } from "../port/queues.js";
import type { Catalogue } from "./catalogue.js";
import { Coalescer, onceForAll } from "./coalescer.js";
import { dayOf, type LineDoc } from "./collections/days.js";
import { type EntryDoc, hidden, readEntry } from "./collections/entries.js";
import type { Database, Filter } from "./connection.js";
import { Cursors } from "./cursors.js";
import {
  blockName,
  blocksFrom,
  emptyTotals,
  type LineTotals,
  Places,
  paceOf,
  statusCounts,
  type Waiting,
} from "./line.js";
import { LineAnswers, type ReadOfLine } from "./line-answers.js";
import { LineMarks, markOf } from "./line-marks.js";
import { lineAt } from "./line-pipeline.js";
import type { LineNow, Lines } from "./lines.js";
import type { StoreTime } from "./time.js";

const waitingFields = { _id: 0, priority: 1, tokenNumber: 1, workMinutes: 1 } as const;

/**
 * Reads the days of queues and their entries, each in one command. A result is remembered with the version of
 * its line. A small command, shared by all businesses, then checks whether that version is current.
 */
export class Entries {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;
  readonly #lines: Lines;
  readonly #answers: LineAnswers;
  // Concurrent requests for the same entry, or for entries of the same business, share one command.
  readonly #reads = new Coalescer<string, ReadEntry | null>((businessId, ids) =>
    this.#findByIds(businessId, ids),
  );
  readonly #days = new Coalescer<() => Promise<ReadDay | null>, ReadDay | null>(onceForAll);
  readonly #pages = new Coalescer<() => Promise<ReadPage | null>, ReadPage | null>(onceForAll);
  readonly #numbers = new Cursors((doc: EntryDoc) => doc.tokenNumber);

  constructor(db: Database, time: StoreTime, catalogue: Catalogue, lines: Lines) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
    this.#lines = lines;
    this.#answers = new LineAnswers(new LineMarks(db));
  }

  async get(businessId: string, entryId: string): Promise<EntryInLine | null> {
    return this.#answers.answer(["entry", businessId, entryId], () =>
      this.#place(businessId, () => this.#reads.run(businessId, entryId)),
    );
  }

  async #place(
    businessId: string,
    find: () => Promise<ReadEntry | null>,
  ): Promise<ReadOfLine<EntryInLine> | null> {
    for (let counted = false; ; counted = true) {
      const unarrived = this.#lines.unarrived(businessId);
      const found = await find();
      const [doc] = found?.entry ?? [];
      if (!found || !doc) return null;
      const entry = readEntry(doc);
      const line = found.day[0]?.line.v ?? null;
      const { queueId, date, status } = entry;
      const place = { businessId, queueId, date };
      if (status === "WAITING" && line && !counted) {
        if (this.#lines.needsRecount(place, { line, now: found.now }, unarrived)) {
          await this.#lines.recount(businessId, date, queueId);
          continue;
        }
      }
      const totals = line ?? emptyTotals;
      const ahead = new Places(totals, entry, found.around).next(entry);
      const answer = {
        entry,
        line: status === "WAITING" ? { ahead, pace: paceOf(totals) } : null,
      };
      return { answer, place, mark: line && markOf(line), bytes: bytesOf([answer]) };
    }
  }

  async #findByIds(businessId: string, ids: readonly string[]): Promise<(ReadEntry | null)[]> {
    const unique = [...new Set(ids)];
    const _id = unique.length === 1 ? (unique[0] ?? "") : { $in: unique };
    const found = new Map((await this.#findAll({ businessId, _id })).map((doc) => [doc._id, doc]));
    return ids.map((id) => found.get(id) ?? null);
  }

  /**
   * Reads the entry after its line, because a remembered result must not be older than the version of the
   * line.
   */
  async #findAll(which: Filter<EntryDoc> & { businessId: string }): Promise<ReadEntry[]> {
    const { days, entries } = this.#db;
    const { businessId } = which;
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
      .aggregate<ReadEntry>([
        { $match: which },
        {
          $project: {
            queueId: 1,
            block: 1,
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
            pipeline: [{ $match: { businessId } }, { $project: { _id: 0, line: lineOfQueue } }],
            as: "day",
          },
        },
        {
          $lookup: {
            from: entries.raw.collectionName,
            localField: "_id",
            foreignField: "_id",
            pipeline: [{ $match: { businessId } }, { $project: hidden }],
            as: "entry",
          },
        },
        this.#around("block", businessId),
      ])
      .toArray();
  }

  /** The waiting entries of the block whose name is in `field`. */
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

  /** The day of a queue that was just read, with the counts of its line. */
  async countedDay(queue: Queue, date: string): Promise<CountedDay> {
    const { businessId, id: queueId } = queue;
    const read = await this.#answers.answer(["day", businessId, queueId, date], () =>
      this.#countDay({ businessId, queueId, date }),
    );
    const { totals, waiting, averageWaitMinutes } = read ?? dayWithoutLine;
    const counts = statusCounts(totals, waiting);
    return { day: { queue, counts, pace: paceOf(totals), averageWaitMinutes }, totals };
  }

  async #countDay(place: EntryList): Promise<ReadOfLine<DayOfLine> | null> {
    const { businessId, queueId, date } = place;
    for (let counted = false; ; counted = true) {
      const unarrived = this.#lines.unarrived(businessId);
      const read = await this.#days.run(JSON.stringify(place), () => this.#readDay(place));
      if (!read) return null;
      if (!counted && this.#lines.needsRecount(place, read, unarrived)) {
        await this.#lines.recount(businessId, date, queueId);
        continue;
      }
      const { line: totals, waiting } = read;
      const averageWaitMinutes = averageWait([packWork(waiting)], paceOf(totals));
      const answer = { totals, waiting: waiting.length, averageWaitMinutes };
      const blocks = totals.first.length + totals.others.length;
      return { answer, place, mark: markOf(totals), bytes: (blocks + 5) * blockBytes };
    }
  }

  /** Reads all waiting entries, because the average wait depends on them. */
  async #readDay({ businessId, queueId, date }: EntryList): Promise<ReadDay | null> {
    const { days, entries } = this.#db;
    const [day] = await days.raw
      .aggregate<ReadDay>([
        { $match: dayOf({ businessId, date }) },
        { $project: { _id: 0, line: lineAt(queueId) } },
        {
          $lookup: {
            from: entries.raw.collectionName,
            pipeline: [
              { $match: { businessId, queueId, date, status: "WAITING" } },
              { $sort: { priority: -1, tokenNumber: 1 } },
              { $project: { _id: 0, workMinutes: 1 } },
            ],
            as: "waiting",
          },
        },
        { $set: { waiting: "$waiting.workMinutes", now: this.#time.expression() } },
      ])
      .toArray();
    return day ?? null;
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
    const page = ["page", businessId, queueId, date, status, number, limit];
    const read = await this.#answers.answer(page, () =>
      this.#countPage(list, status, number, limit),
    );
    if (!read) return { items: [], more: false };
    const { items, more, last } = read;
    if (more && last) this.#numbers.remember(last);
    return { items, more };
  }

  async #countPage(
    list: EntryList,
    status: EntryStatus | null,
    number: number,
    limit: number,
  ): Promise<ReadOfLine<PageOfLine> | null> {
    const { businessId, queueId, date } = list;
    const page = JSON.stringify([businessId, queueId, date, status, number, limit]);
    for (let counted = false; ; counted = true) {
      const unarrived = this.#lines.unarrived(businessId);
      const read = await this.#pages.run(page, () => this.#readPage(list, status, number, limit));
      if (!read) return null;
      const anybodyWaits = read.page.some((doc) => doc.status === "WAITING");
      if (anybodyWaits && !counted && this.#lines.needsRecount(list, read, unarrived)) {
        await this.#lines.recount(businessId, date, queueId);
        continue;
      }
      const docs = read.page.slice(0, limit);
      const items = placed(docs, read);
      const answer = { items, more: read.page.length > limit, last: docs.at(-1) ?? null };
      return { answer, place: list, mark: markOf(read.line), bytes: bytesOf(items) };
    }
  }

  async list(
    ...asked: Parameters<Entries["page"]>
  ): Promise<Uint8Array | "queue_not_found" | "cursor_unknown"> {
    return encodedEntryList(await this.page(...asked));
  }

  /**
   * Token numbers have few gaps, so a page of all statuses is usually found in as many consecutive numbers as
   * it has entries.
   */
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
              { $project: hidden },
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

  /**
   * The entry at position 1. If no change of the line is pending, it is in the first block, so one block is
   * read. Otherwise a counted change may still fail and the blocks may be wrong, so all waiting entries are
   * sorted.
   */
  async next(list: EntryList): Promise<Entry | null> {
    const { days, entries } = this.#db;
    const projection = { _id: 0, line: lineAt(list.queueId) };
    const day = (await days.raw.findOne(dayOf(list), { projection })) as { line: LineDoc } | null;
    if (!day) return null;
    if (markOf(day.line) !== null) {
      const totals = day.line;
      if (blocksFrom(totals, 1, 1).length === 0) return null;
      const [first] = await this.waiting(list, totals, 1, 1);
      if (first) return first;
    }
    const doc = await entries.model
      .findOne({ ...list, status: "WAITING" }, hidden)
      .sort({ priority: -1, tokenNumber: 1 })
      .lean();
    return doc && readEntry(doc);
  }

  /** Up to `limit` waiting entries of a line, from a place on. Reads only the blocks that contain them. */
  async waiting(
    list: EntryList,
    totals: LineTotals,
    from: number,
    limit: number,
  ): Promise<Entry[]> {
    const runs = blocksFrom(totals, from, limit).map(({ class: name, blocks, behind }) =>
      this.#db.entries.model
        .find(
          {
            businessId: list.businessId,
            block: { $in: blocks.map((block) => blockName(list, block)) },
            status: "WAITING",
            priority: name === "first",
          },
          hidden,
        )
        .sort({ tokenNumber: 1 })
        .skip(behind)
        .limit(limit)
        .lean(),
    );
    return (await Promise.all(runs)).flat().slice(0, limit).map(readEntry);
  }

  /** Forgets the last items of pages, because they may have been removed. */
  forgetCursors(): void {
    this.#numbers.forgetAll();
  }
}

/** An entry with its line, and the waiting entries of its block. */
interface ReadEntry {
  readonly _id: string;
  readonly now: number;
  readonly day: readonly { readonly line: { readonly v: LineDoc } }[];
  readonly entry: readonly EntryDoc[];
  readonly around: readonly Waiting[];
}

/** A line, and the work of all its waiting entries. */
interface ReadDay extends LineNow {
  readonly waiting: readonly Work[];
}

/** The results for a line on its day. */
interface DayOfLine {
  readonly totals: LineTotals;
  readonly waiting: number;
  readonly averageWaitMinutes: number | null;
}

const dayWithoutLine: DayOfLine = { totals: emptyTotals, waiting: 0, averageWaitMinutes: null };

/** A queue's day, and the counts that it is computed from. */
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
  /** The waiting entries of the block of the first waiting entry. */
  readonly around: readonly Waiting[];
}

interface PageOfLine extends Page<EntryInLine> {
  /** The last entry of the page; null if the page is empty. */
  readonly last: EntryDoc | null;
}

/**
 * Estimated memory in bytes: of a block of a line, and of an entry, plus two bytes for each character of the
 * customer's name.
 */
const blockBytes = 100;
const entryBytes = 1_000;

function bytesOf(entries: readonly EntryInLine[]): number {
  return entries.reduce(
    (sum, { entry }) => sum + entryBytes + 2 * (entry.customerName?.length ?? 0),
    0,
  );
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
