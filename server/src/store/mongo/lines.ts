import { Types } from "mongoose";
import { type DayDoc, dayId, dayOf, type LineDoc, type OpenChanges } from "./collections/days.js";
import type { EntryDoc } from "./collections/entries.js";
import type { Database } from "./connection.js";
import {
  blockSize,
  type Contribution,
  type Counter,
  classOf,
  emptyTotals,
  entriesIn,
  type LineTotals,
  withContribution,
} from "./line.js";
import {
  countChange,
  type LineChange,
  latestMs,
  lineAt,
  lineField,
  undoChange,
} from "./line-pipeline.js";
import { keyOf, type LinePlace, type Report, type Reports } from "./reports.js";
import type { Expression, StoreTime } from "./time.js";
import { duplicateOf } from "./unavailable.js";
import type { Writer } from "./writer.js";

/**
 * How long a process may be silent with a change under way before others think that it died. Counting
 * anew while it still runs does no harm: it has to be done again afterwards.
 */
const patienceMs = 3_000;

/** After how long a change that is done is said to be over before its request is answered. */
const longAgoMs = latestMs / 2;

const mostTries = 5;

/** How long a process waits at least until it counts the same line again. */
const recountEveryMs = 1_000;

/** The least of a process's time, as one in so many, that it may spend on counting a line again. */
const recountShare = 10;

/** How many token numbers one command of a recount passes over, so that each one ends in time. */
const countStep = 20_000;

/** As much of a line as tells whether it has to be counted anew. */
interface Doubted {
  readonly line: Pick<LineDoc, "doubt" | "lateUntil" | "open">;
  readonly now: number;
}

/** Whether a process with changes under way has said nothing for so long that it counts as dead. */
function hasFallenSilent({ n, at }: OpenChanges, now: number): boolean {
  return n > 0 && now - at > patienceMs;
}

/** A line as it was read, with the database's time. */
export interface LineNow {
  readonly line: LineDoc;
  readonly now: number;
}

/**
 * What is counted of lines. A change is counted before it is done to its entry, and settled
 * afterwards: so a request that was answered is counted, and a process that stays silent with a
 * pending change has died. Then the line is counted again, from its entries, and once more when a
 * command that was still on its way has had its time to arrive. See `docs/counted-lines.md`.
 */
export class Lines {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #writer: Writer;
  readonly #reports: Reports;
  readonly #recounts = new Map<string, { notBefore: number; running: Promise<void> | null }>();

  constructor(db: Database, time: StoreTime, writer: Writer, reports: Reports) {
    this.#db = db;
    this.#time = time;
    this.#writer = writer;
    this.#reports = reports;
  }

  /** Makes a day's document, empty, unless it is there. */
  async openDay(businessId: string, date: string): Promise<void> {
    const day: DayDoc = { _id: dayId(businessId, date), businessId, date, created: 0, lines: {} };
    await this.#db.days.raw.insertOne(day).catch((error) => {
      if (duplicateOf(error) === null) throw error;
    });
  }

  /** Counts a change of an entry, and returns how to end it. */
  async begin(place: LinePlace, change: LineChange): Promise<BegunChange> {
    const field = lineField(place.queueId);
    const since = this.#time.elapsed();
    const day = await this.reporting(place, 1, (report, now) =>
      this.#db.days.raw.findOneAndUpdate(
        dayOf(place),
        countChange(place.queueId, change, report, now),
        { returnDocument: "after", projection: { epoch: `$${field}.epoch` } },
      ),
    );
    if (!day) throw new Error("an entry has no day");
    const { epoch } = day as unknown as { epoch: number };
    return this.begun(place, epoch, change, since);
  }

  /** Sends a command that begins changes of a line, with what there is to say of it. */
  async reporting<Result>(
    place: LinePlace,
    changes: number,
    send: (report: Report, now: Expression) => Promise<Result>,
  ): Promise<Result> {
    this.#reports.begin(place, changes);
    const report = this.#reports.take(place);
    try {
      return await send(report, this.#time.expression());
    } catch (error) {
      // Whether they were counted is unknown.
      this.#reports.lost(place, report);
      this.#reports.end(place, changes, { doubt: true });
      this.#writer.report();
      throw error;
    }
  }

  /** Ends changes that {@link reporting} announced and that were not counted. */
  notBegun(place: LinePlace, changes: number): void {
    if (changes === 0) return;
    this.#reports.end(place, changes);
    this.#writer.report();
  }

  /** A change that has been counted; `since` is when the command that counted it was sent. */
  begun(place: LinePlace, epoch: number, change: LineChange, since: number): BegunChange {
    const end = (doubt: boolean) => {
      this.#reports.end(place, 1, { epoch, doubt });
      this.#writer.report();
    };
    return {
      done: async () => {
        end(false);
        if (this.#time.elapsed() - since > longAgoMs) await this.#writer.writeReport(place);
      },
      unknown: () => end(true),
      undo: () => this.#undo(place, epoch, change),
    };
  }

  /** A line that was recounted meanwhile has nothing to undo: the change was in no entry. */
  async #undo(place: LinePlace, epoch: number, change: LineChange): Promise<void> {
    this.#reports.end(place, 1);
    const report = this.#reports.take(place);
    try {
      const undone = await this.#db.days.raw.findOneAndUpdate(
        { ...dayOf(place), [`${lineField(place.queueId)}.epoch`]: epoch },
        undoChange(place.queueId, change, report, this.#time.expression()),
        { projection: { _id: 1 } },
      );
      if (undone) return;
      this.#reports.lost(place, report);
    } catch (error) {
      this.#reports.lost(place, { ...report, doubt: true });
      throw error;
    } finally {
      this.#writer.report();
    }
  }

  /**
   * Whether what is counted may be wrong: a change ended badly, or its process died over it, or what was
   * left of it then has had its time to arrive.
   */
  isDoubtful({ line, now }: Doubted): boolean {
    const { doubt, lateUntil = 0, open } = line;
    if (doubt || (lateUntil > 0 && now >= lateUntil)) return true;
    return Object.entries(open).some(
      ([instance, said]) => instance !== this.#reports.instance && hasFallenSilent(said, now),
    );
  }

  /**
   * Counts a line anew, from its entries. While others change it that may fail, and have to be done
   * again, so it is not tried all the time; false when it was not tried.
   */
  async recount(businessId: string, date: string, queueId: string): Promise<boolean> {
    const place = { businessId, date, queueId };
    const key = keyOf(place);
    const known = this.#recounts.get(key) ?? { notBefore: 0, running: null };
    const began = this.#time.elapsed();
    if (known.running === null) {
      if (began < known.notBefore) return false;
      this.#recounts.set(key, known);
      known.running = this.#recount(businessId, date, queueId).finally(() => {
        const took = this.#time.elapsed() - began;
        known.notBefore = began + Math.max(recountEveryMs, took * recountShare);
        known.running = null;
        setTimeout(() => this.#recounts.delete(key), known.notBefore - began).unref();
      });
    }
    await known.running;
    return true;
  }

  async #recount(businessId: string, date: string, queueId: string): Promise<void> {
    const place = { businessId, date, queueId };
    const field = lineField(queueId);
    await this.#writer.settled(place);
    for (let tries = 0; tries < mostTries; tries++) {
      const seen = await this.#read(place);
      if (!seen || !this.isDoubtful(seen)) return;
      const { line, now } = seen;
      const { totals, last } = await this.#count(businessId, date, queueId, line.last);
      const open = Object.entries(line.open).filter(([, { n }]) => n > 0);
      const alive = open.filter(([, said]) => !hasFallenSilent(said, now));
      const { lateUntil = 0 } = line;
      const counted: LineDoc = {
        ...totals,
        last: Math.max(last, line.last),
        revision: line.revision + 1,
        stamp: new Types.ObjectId().toHexString(),
        epoch: line.epoch + 1,
        doubt: false,
        lateUntil: alive.length < open.length ? now + latestMs : now < lateUntil ? lateUntil : 0,
        open: Object.fromEntries(alive),
      };
      const kept = await this.#db.days.raw.updateOne(
        { ...dayOf(place), [`${field}.revision`]: line.revision },
        {
          $inc: { created: entriesIn(totals) - entriesIn(line) },
          $set: { [field]: counted },
        },
      );
      if (kept.matchedCount > 0) return;
    }
  }

  async #read(place: LinePlace): Promise<LineNow | null> {
    const projection = { line: lineAt(place.queueId), now: this.#time.expression() };
    return (await this.#db.days.raw.findOne(dayOf(place), { projection })) as LineNow | null;
  }

  /** Passes over the line's index; what comes back is one row for each block and status. */
  async #count(businessId: string, date: string, queueId: string, upTo: number) {
    let totals: LineTotals = emptyTotals;
    let last = 0;
    for (let from = 0; from <= upTo; from += countStep) {
      const end = from + countStep;
      const tokenNumber = end > upTo ? { $gte: from } : { $gte: from, $lt: end };
      const rows = await this.#db.entries.raw
        .aggregate<CountedRow>([
          { $match: { businessId, queueId, date, tokenNumber } },
          { $group: counting },
        ])
        .toArray();
      for (const row of rows) {
        totals = withContribution(totals, countedIn(row));
        last = Math.max(last, row.last);
      }
    }
    return { totals, last };
  }
}

const served = {
  $and: [
    { $eq: ["$status", "COMPLETED"] },
    { $ne: ["$startedAt", null] },
    { $ne: ["$completedAt", null] },
  ],
};

const waits = { $eq: ["$status", "WAITING"] };

const counting = {
  _id: {
    status: "$status",
    priority: { $and: [waits, "$priority"] },
    b: { $cond: [waits, { $floor: { $divide: ["$tokenNumber", blockSize] } }, 0] },
  },
  people: { $sum: 1 },
  m: { $sum: { $ifNull: ["$workMinutes", 0] } },
  u: { $sum: { $cond: [{ $eq: ["$workMinutes", null] }, 1, 0] } },
  finished: { $sum: { $cond: [served, 1, 0] } },
  finishedMs: { $sum: { $cond: [served, { $subtract: ["$completedAt", "$startedAt"] }, 0] } },
  last: { $max: "$tokenNumber" },
};

/** How a change that was counted ends. */
export interface BegunChange {
  /**
   * It is done. Resolves at once, unless it took so long that others may have counted the line without it and
   * remember what they read of it: then when the line has a new version.
   */
  readonly done: () => Promise<void>;
  /** Nobody knows whether it is done. */
  readonly unknown: () => void;
  /** It did not happen. */
  readonly undo: () => Promise<void>;
}

interface CountedRow {
  readonly _id: Pick<EntryDoc, "status" | "priority"> & { readonly b: number };
  readonly people: number;
  readonly m: number;
  readonly u: number;
  readonly finished: number;
  readonly finishedMs: number;
  readonly last: number;
}

function countedIn({ _id, people, m, u, finished, finishedMs }: CountedRow): Contribution {
  const { status, b } = _id;
  if (status === "WAITING") {
    return { counted: {}, waiting: { class: classOf(_id), block: { b, w: people, m, u } } };
  }
  const counter: Counter = status;
  return { counted: { [counter]: people, finished, finishedMs }, waiting: null };
}
