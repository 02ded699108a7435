import type { EntryStatus } from "@queue-api/contract";
import { type Ahead, type LinePace, waitsOf } from "../../rules/line.js";
import type { Entry, Queue } from "../../rules/records.js";
import type { QueueDay, StatusCounts } from "../port/business.js";
import type { Database } from "./connection.js";
import { repeatable } from "./guard.js";

/** The entries of a queue with the same status, priority and work on one day, in sum. */
interface Group {
  readonly _id: {
    readonly queueId: string;
    readonly status: EntryStatus;
    readonly priority: boolean;
    readonly workMinutes: number | null;
    /** Whether their numbers are below the asked one. Absent if none was asked. */
    readonly isBefore?: boolean;
  };
  readonly entries: number;
  readonly finishedMs: number;
  readonly lastNumber?: number;
  readonly lastPlace?: number;
  readonly revisions?: number;
  /** The numbers of waiting entries, if asked. */
  readonly numbers?: readonly number[];
}

/** What to count. Each further field costs a third of a millisecond for 1,000 entries. */
interface Counted {
  /** Only this queue, or these. Default: all. */
  readonly queueId?: string | { readonly $in: readonly string[] };
  /** Tells apart the entries with numbers below this one. Default: finds the last number and place instead. */
  readonly before?: number;
  /** Reads the numbers of the waiting entries, and the version, instead. */
  readonly numbers?: boolean;
}

/** A waiting entry in its line. */
type InLine = Pick<Entry, "priority" | "tokenNumber" | "workMinutes">;

/** Counts the entries of a business on one day, by the index `line`. */
export async function countDay(
  { entries }: Database,
  businessId: string,
  date: string,
  { queueId, before, numbers = false }: Counted = {},
): Promise<DayCounts> {
  const isWaiting = { $eq: ["$status", "WAITING"] };
  const groups = await repeatable(() =>
    entries.aggregate<Group>([
      { $match: { businessId, date, ...(queueId !== undefined && { queueId }) } },
      {
        $group: {
          _id: {
            ...{ queueId: "$queueId", status: "$status", priority: "$priority" },
            workMinutes: "$workMinutes",
            ...(before !== undefined && { isBefore: { $lt: ["$tokenNumber", before] } }),
          },
          entries: { $sum: 1 },
          finishedMs: { $sum: { $subtract: ["$completedAt", "$startedAt"] } },
          ...(numbers && {
            revisions: { $sum: "$revision" },
            numbers: { $push: { $cond: [isWaiting, "$tokenNumber", "$$REMOVE"] } },
          }),
          ...(!numbers &&
            before === undefined && {
              lastNumber: { $max: "$tokenNumber" },
              lastPlace: { $max: "$placeInDay" },
            }),
        },
      },
    ]),
  );
  return new DayCounts(groups);
}

/** A version that changes whenever an entry of the day is added or changed. */
export async function dayVersion({ entries }: Database, businessId: string, date: string) {
  const [sums] = await repeatable(() =>
    entries.aggregate<{ readonly entries: number; readonly revisions: number }>([
      { $match: { businessId, date } },
      { $group: { _id: null, entries: { $sum: 1 }, revisions: { $sum: "$revision" } } },
    ]),
  );
  return versionOf(sums?.entries ?? 0, sums?.revisions ?? 0);
}

function versionOf(entries: number, revisions: number): string {
  return `${entries}.${revisions}`;
}

/** The counts of a business's day. */
export class DayCounts {
  readonly #groups: Group[];

  constructor(groups: Group[]) {
    this.#groups = groups;
  }

  /** Counts an entry that is written next. */
  add({ queueId, status, priority, workMinutes, tokenNumber }: Entry): void {
    this.#groups.push({
      _id: { queueId, status, priority, workMinutes },
      ...{ entries: 1, finishedMs: 0, lastNumber: tokenNumber },
    });
  }

  /** The last place in the day among the counted entries. */
  get lastPlace(): number {
    return Math.max(0, ...this.#groups.map(({ lastPlace = 0 }) => lastPlace));
  }

  /** See {@link dayVersion}. Needs `numbers`. */
  get version(): string {
    const sum = (field: "entries" | "revisions") =>
      this.#groups.reduce((total, group) => total + (group[field] ?? 0), 0);
    return versionOf(sum("entries"), sum("revisions"));
  }

  /** The last number among the entries that are in the queue. */
  lastNumber(queueId: string): number {
    return Math.max(0, ...this.#of(queueId).map(({ lastNumber = 0 }) => lastNumber));
  }

  /** What is ahead of a waiting entry at the number that was asked, or after all others. */
  ahead(queueId: string, priority: boolean): Ahead {
    const sum = { people: 0, knownMinutes: 0, unknown: 0 };
    for (const { _id, entries } of this.#of(queueId)) {
      const { status, workMinutes, isBefore = true } = _id;
      const isAhead = _id.priority === priority ? isBefore : _id.priority;
      if (status !== "WAITING" || !isAhead) continue;
      sum.people += entries;
      if (workMinutes === null) sum.unknown += entries;
      else sum.knownMinutes += entries * workMinutes;
    }
    return sum;
  }

  pace(queueId: string): LinePace {
    const pace = { inService: 0, finished: 0, finishedMs: 0 };
    for (const { _id, entries, finishedMs } of this.#of(queueId)) {
      if (_id.status === "IN_SERVICE") pace.inService += entries;
      if (_id.status !== "COMPLETED") continue;
      pace.finished += entries;
      pace.finishedMs += finishedMs;
    }
    return pace;
  }

  /** The waiting entries in the order in which they will be called. Needs `numbers`. */
  line(queueId: string): InLine[] {
    return this.#of(queueId)
      .flatMap(({ _id: { priority, workMinutes }, numbers = [] }) =>
        numbers.map((tokenNumber) => ({ priority, tokenNumber, workMinutes })),
      )
      .sort((a, b) => Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber);
  }

  /** A queue on this day. Needs `numbers`. */
  queueDay(queue: Queue): QueueDay {
    const counts: Record<keyof StatusCounts, number> = {
      ...{ WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 },
    };
    for (const { _id, entries } of this.#of(queue.id)) counts[_id.status] += entries;
    const pace = this.pace(queue.id);
    const works = this.line(queue.id).map(({ workMinutes }) => workMinutes);
    return { queue, counts, pace, ...waitsOf(works, pace) };
  }

  #of(queueId: string): Group[] {
    return this.#groups.filter(({ _id }) => _id.queueId === queueId);
  }
}
