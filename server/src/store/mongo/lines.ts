import { type DayDoc, dayId, type LineDoc } from "./collections/days.js";
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
import { beginChange, type LineChange, lineAt, lineField, undoChange } from "./line-pipeline.js";
import type { StoreTime } from "./time.js";
import { duplicateOf } from "./unavailable.js";
import type { LinePlace, Writer } from "./writer.js";

/**
 * How long a change may be under way before somebody looks whether it ever ended. Counting anew while
 * it still runs does no harm, it has to be done again afterwards.
 */
const patienceMs = 3_000;

const mostTries = 5;

/** How many token numbers one command of a recount passes over, so that each one ends in time. */
const countStep = 20_000;

/** A line as it was read, with the database's time. */
export interface LineNow {
  readonly line: LineDoc;
  readonly now: number;
}

/**
 * What is counted of lines. A change is counted before it is done to its entry, and noted as ended
 * afterwards: so whoever was answered finds himself counted, and a change that was begun and not ended
 * tells that somebody died over it. Then the line is counted anew, from its entries.
 */
export class Lines {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #writer: Writer;

  constructor(db: Database, time: StoreTime, writer: Writer) {
    this.#db = db;
    this.#time = time;
    this.#writer = writer;
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
    const { raw } = this.#db.days;
    const day = await raw.findOneAndUpdate(
      { _id: place.day },
      beginChange(place.queueId, change, this.#time.expression()),
      { returnDocument: "after", projection: { epoch: `$${lineField(place.queueId)}.epoch` } },
    );
    if (!day) throw new Error("an entry has no day");
    const { epoch } = day as unknown as { epoch: number };
    return this.begun(place, epoch, change);
  }

  /** A change that has been counted. */
  begun(place: LinePlace, epoch: number, change: LineChange): BegunChange {
    return {
      done: () => this.#writer.ended(place, epoch),
      unknown: () => this.#writer.ended(place, epoch, { doubt: true }),
      undo: () => this.#undo(place, epoch, change),
    };
  }

  async #undo(place: LinePlace, epoch: number, change: LineChange): Promise<void> {
    try {
      const undone = await this.#db.days.raw.updateOne(
        { _id: place.day, [`${lineField(place.queueId)}.epoch`]: epoch },
        undoChange(place.queueId, change),
      );
      if (undone.matchedCount === 0) this.#writer.ended(place, epoch); // recounted meanwhile
    } catch (error) {
      this.#writer.ended(place, epoch, { doubt: true });
      throw error;
    }
  }

  /** Whether what is counted may be wrong: a change ended badly, or never. */
  isDoubtful({ line, now }: LineNow): boolean {
    const { begun, ended, doubt, at } = line;
    if (begun === ended) return doubt;
    return now - at > patienceMs;
  }

  /** Counts a line anew, from its entries; gives up when it never stands still. */
  async recount(businessId: string, date: string, queueId: string): Promise<void> {
    const place = { day: dayId(businessId, date), queueId };
    await this.#writer.settled(place);
    for (let tries = 0; tries < mostTries; tries++) {
      const seen = await this.#read(place);
      if (!seen || !this.isDoubtful(seen)) return;
      const { totals, last } = await this.#count(businessId, date, queueId, seen.line.last);
      const field = lineField(queueId);
      const { begun, ended, epoch } = seen.line;
      const counted = await this.#db.days.raw.updateOne(
        {
          _id: place.day,
          [`${field}.begun`]: begun,
          [`${field}.ended`]: ended,
          [`${field}.epoch`]: epoch,
        },
        {
          $inc: { created: entriesIn(totals) - entriesIn(seen.line) },
          $set: {
            [field]: {
              ...totals,
              last: Math.max(last, seen.line.last),
              begun,
              ended: begun,
              epoch: epoch + 1,
              doubt: false,
              at: seen.line.at,
            },
          },
        },
      );
      if (counted.matchedCount > 0) return;
    }
  }

  async #read({ day, queueId }: LinePlace): Promise<LineNow | null> {
    const projection = { line: lineAt(queueId), now: this.#time.expression() };
    return (await this.#db.days.raw.findOne({ _id: day }, { projection })) as LineNow | null;
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
  /** It is done. */
  readonly done: () => void;
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
