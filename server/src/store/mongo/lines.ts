import { Types } from "mongoose";
import { dayOf, type LineDoc, type OpenChanges } from "./collections/days.js";
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
import type { Outbox } from "./outbox.js";
import {
  keyOf,
  type LinePlace,
  type Report,
  type Reports,
  raisesDoubt,
  type Unarrived,
} from "./reports.js";
import type { Expression, StoreTime } from "./time.js";
import type { Writer } from "./writer.js";

/**
 * How long a process with a pending change may be silent before other processes treat it as dead. A recount
 * while it still runs does no harm, but must be repeated afterwards.
 */
const patienceMs = 3_000;

/**
 * A change that was counted longer ago than this is not made, because the line may have been recounted without
 * it for the last time. If one takes longer to be made, its end is reported before the request is answered.
 */
const longAgoMs = latestMs / 2;

const mostTries = 5;

/** The minimum time between two recounts of the same line by one process. */
const recountEveryMs = 1_000;

/** A process spends at most 1/`recountShare` of its time on recounting a line. */
const recountShare = 10;

/** The number of token numbers that one command of a recount covers, so that no command times out. */
const countStep = 20_000;

/** The fields of a line that show whether it needs a recount. */
interface Doubted {
  readonly line: Pick<LineDoc, "doubt" | "lateUntil" | "open">;
  readonly now: number;
}

/** Whether a process with pending changes has been silent for so long that it counts as dead. */
function hasFallenSilent({ n, at }: OpenChanges, now: number): boolean {
  return n > 0 && now - at > patienceMs;
}

/** A line as it was read, with the database's time. */
export interface LineNow {
  readonly line: LineDoc;
  readonly now: number;
}

/**
 * The counted lines. A change is counted before it is made to its entry, and settled afterwards. So the
 * counts include every request that was answered, and a process that stays silent with a pending change has
 * died. In that case the line is recounted from its entries, and recounted once more after the time in which
 * a delayed command may still arrive. See `docs/counted-lines.md`.
 */
export class Lines {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #writer: Writer;
  readonly #reports: Reports;
  readonly #outbox: Outbox;
  readonly #recounts = new Map<string, { notBefore: number; running: Promise<void> | null }>();

  constructor(
    db: Database,
    time: StoreTime,
    { writer, reports, outbox }: { writer: Writer; reports: Reports; outbox: Outbox },
  ) {
    this.#db = db;
    this.#time = time;
    this.#writer = writer;
    this.#reports = reports;
    this.#outbox = outbox;
  }

  /** Counts a change of an entry, and returns the functions that end it. */
  async begin(place: LinePlace, change: LineChange): Promise<BegunChange> {
    const field = lineField(place.queueId);
    const since = this.#time.elapsed();
    const { day } = await this.reporting(place, 1, (report, now) =>
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

  /**
   * Sends a command that begins changes of a line, together with this process's report on the line. Returns the
   * day that the command returns, and the report. If there is no such day, the changes are not begun.
   */
  async reporting<Day>(
    place: LinePlace,
    changes: number,
    send: (report: Report, now: Expression) => Promise<Day | null>,
  ): Promise<{ readonly day: Day | null; readonly report: Report }> {
    const { report, arrived, notSent, unknown } = this.announce(place, changes);
    try {
      const day = await send(report, this.#time.expression());
      if (day === null) notSent();
      else arrived();
      return { day, report };
    } catch (error) {
      unknown();
      throw error;
    }
  }

  /** Announces changes of a line. The command that begins them must contain the report. */
  announce(place: LinePlace, changes: number): Announced {
    this.#reports.begin(place, changes);
    const report = this.#reports.take(place);
    const failed = (doubt: boolean) => {
      this.#reports.lost(place, report);
      this.#reports.end(place, changes, { doubt });
      this.#writer.report();
    };
    return {
      report,
      arrived: () => this.#reports.arrived(place, report),
      notSent: () => failed(false),
      unknown: () => failed(true),
    };
  }

  /** Ends changes that were announced and reported, and that the command did not count. */
  notBegun(place: LinePlace, changes: number): void {
    if (changes === 0) return;
    this.#reports.end(place, changes);
    this.#writer.report();
  }

  /** A change that was counted. `since` is when the command that counted it was sent. */
  begun(place: LinePlace, epoch: number, change: LineChange, since: number): BegunChange {
    const end = (doubt: boolean) => {
      this.#reports.end(place, 1, { epoch, doubt });
      this.#writer.report();
    };
    const isLongAgo = () => this.#time.elapsed() - since > longAgoMs;
    return {
      isLongAgo,
      done: async () => {
        end(false);
        if (isLongAgo()) await this.#writer.writeReport(place);
      },
      unknown: () => end(true),
      undo: () => this.#undo(place, epoch, change),
    };
  }

  /** If the line was recounted in the meantime, there is nothing to undo: the change was in no entry. */
  async #undo(place: LinePlace, epoch: number, change: LineChange): Promise<void> {
    this.#reports.end(place, 1);
    const report = this.#reports.take(place);
    try {
      const undone = await this.#db.days.raw.findOneAndUpdate(
        { ...dayOf(place), [`${lineField(place.queueId)}.epoch`]: epoch },
        undoChange(place.queueId, change, report, this.#time.expression()),
        { projection: { _id: 1 } },
      );
      if (undone) this.#reports.arrived(place, report);
      else this.#reports.lost(place, report);
    } catch (error) {
      this.#reports.lost(place, report);
      this.#reports.end(place, 0, { doubt: true });
      throw error;
    } finally {
      this.#writer.report();
    }
  }

  /**
   * Whether the counts may be wrong: a change ended with an unknown result, a process died with a pending
   * change, or a delayed command had time to arrive since the last recount.
   */
  isDoubtful({ line, now }: Doubted): boolean {
    const { doubt, lateUntil = 0, open } = line;
    if (doubt || (lateUntil > 0 && now >= lateUntil)) return true;
    return Object.entries(open).some(
      ([instance, said]) => instance !== this.#reports.instance && hasFallenSilent(said, now),
    );
  }

  /** The reports of this process that a read which begins now may not find in the lines of a business. */
  unarrived(businessId: string): Unarrived {
    return this.#reports.unarrived(businessId);
  }

  /**
   * Whether a line must be recounted before its counts are used: it is in doubt, or a report of this process
   * will put it in doubt. `unarrived` are the reports that had not arrived when the read began.
   */
  needsRecount(place: LinePlace, read: LineNow, unarrived: Unarrived): boolean {
    const own = unarrived.get(keyOf(place));
    return this.isDoubtful(read) || (own !== undefined && raisesDoubt(own, read.line));
  }

  /**
   * Recounts a line from its entries. This may fail while other requests change the line, and must then be
   * repeated, so it runs at limited intervals. Returns false if it did not run.
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
    await this.#writer.flush();
    for (let tries = 0; tries < mostTries; tries++) {
      const unarrived = this.unarrived(businessId);
      const seen = await this.#read(place);
      if (!seen || !this.needsRecount(place, seen, unarrived)) return;
      const { line, now } = seen;
      await this.#outbox.deliverAll(place);
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

  /** Scans the index of the line. Returns one row for each block and status. */
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

/** Changes of a line that a command is about to begin. */
export interface Announced {
  readonly report: Report;
  /** The command has changed the line. */
  readonly arrived: () => void;
  /** The command changed nothing: neither the changes nor the report are in the line. */
  readonly notSent: () => void;
  /** It is unknown whether the command changed the line. */
  readonly unknown: () => void;
}

/** A change that was counted, and the ways to end it. */
export interface BegunChange {
  /** Whether it was counted so long ago that it must not be made any more: the process was stopped since. */
  readonly isLongAgo: () => boolean;
  /**
   * The change was made. Resolves at once, unless the change took so long that another process may have
   * recounted the line without it and cached the result. Then it resolves when the line has a new version.
   */
  readonly done: () => Promise<void>;
  /** The result of the change is unknown. */
  readonly unknown: () => void;
  /** The change was not made. */
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
