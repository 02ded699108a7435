import type { EntryStatus } from "@queue-api/contract";
import { localHours } from "./business-day.js";
import type { Entry } from "./records.js";

/** What statistics need to know of an entry. */
export type EntryTimes = Pick<Entry, "queueId" | "date" | "status" | "issuedAt" | "startedAt">;

/** How long people waited, from their token to their call. Minutes, rounded. */
interface Waits {
  /** How many were called. */
  readonly people: number;
  /** Half of them waited no longer; null when no entry was called. */
  readonly median: number | null;
  /** Nine of ten waited no longer. */
  readonly ninetieth: number | null;
  readonly longest: number | null;
}

/** What happened to a number of entries. */
export interface Statistics {
  readonly arrivals: number;
  /** Arrivals in each hour of the day, by the clock on the business's wall; 24 numbers. */
  readonly arrivalsByHour: readonly number[];
  readonly served: number;
  readonly noShows: number;
  readonly canceled: number;
  /** Still waiting or being served; on a day that is over, their entry was not ended. */
  readonly open: number;
  readonly waits: Waits;
}

/** Statistics of some days: all together, by day and by queue. */
export interface StatisticsReport {
  readonly total: Statistics;
  /** By day, for the days with an entry. */
  readonly byDay: ReadonlyMap<string, Statistics>;
  /** By queue id, for the queues with an entry. */
  readonly byQueue: ReadonlyMap<string, Statistics>;
}

/** Waits longer than a day are counted as one: the entry was forgotten. */
const longestWait = 1_440;

/**
 * Counts entries as they come. Waits are kept as a count for each minute, so that its memory does not
 * grow with their number and a percentile is still exact to the minute.
 */
class Tally {
  readonly #hours = new Array<number>(24).fill(0);
  readonly #waits = new Map<number, number>();
  readonly #ended: Record<EntryStatus, number> = {
    WAITING: 0,
    IN_SERVICE: 0,
    COMPLETED: 0,
    CANCELED: 0,
    NO_SHOW: 0,
  };

  add({ status, issuedAt, startedAt }: EntryTimes, hour: number): void {
    this.#ended[status] += 1;
    this.#hours[hour] = (this.#hours[hour] ?? 0) + 1;
    if (startedAt === null) return;
    const minutes = Math.min(longestWait, Math.max(0, Math.round((startedAt - issuedAt) / 60_000)));
    this.#waits.set(minutes, (this.#waits.get(minutes) ?? 0) + 1);
  }

  get statistics(): Statistics {
    const { WAITING, IN_SERVICE, COMPLETED, CANCELED, NO_SHOW } = this.#ended;
    const open = WAITING + IN_SERVICE;
    return {
      arrivals: open + COMPLETED + CANCELED + NO_SHOW,
      arrivalsByHour: [...this.#hours],
      served: COMPLETED,
      noShows: NO_SHOW,
      canceled: CANCELED,
      open,
      waits: waitsOf([...this.#waits].sort(([a], [b]) => a - b)),
    };
  }
}

/** Percentiles by nearest rank, of how many waited each number of minutes, shortest first. */
function waitsOf(counted: readonly (readonly [minutes: number, people: number])[]): Waits {
  const people = counted.reduce((sum, [, count]) => sum + count, 0);
  const atRank = (rank: number): number | null => {
    let passed = 0;
    for (const [minutes, count] of counted) {
      passed += count;
      if (passed >= rank) return minutes;
    }
    return null;
  };
  return {
    people,
    median: atRank(Math.ceil(people * 0.5)),
    ninetieth: atRank(Math.ceil(people * 0.9)),
    longest: atRank(people),
  };
}

/** Statistics without an entry. */
export const noStatistics: Statistics = new Tally().statistics;

/**
 * Statistics of entries that come some at a time, for a business in this time zone. Needs memory for
 * each day and queue, not for each entry.
 */
export async function reportOf(
  entries: AsyncIterable<readonly EntryTimes[]>,
  timezone: string | null,
): Promise<StatisticsReport> {
  const hourOf = localHours(timezone);
  const total = new Tally();
  const byDay = new Map<string, Tally>();
  const byQueue = new Map<string, Tally>();
  for await (const some of entries) {
    for (const entry of some) {
      const hour = hourOf(entry.issuedAt);
      total.add(entry, hour);
      tallyOf(byDay, entry.date).add(entry, hour);
      tallyOf(byQueue, entry.queueId).add(entry, hour);
    }
  }
  return { total: total.statistics, byDay: endOf(byDay), byQueue: endOf(byQueue) };
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  const known = tallies.get(name);
  if (known) return known;
  const made = new Tally();
  tallies.set(name, made);
  return made;
}

function endOf(tallies: ReadonlyMap<string, Tally>): Map<string, Statistics> {
  return new Map([...tallies].map(([name, tally]) => [name, tally.statistics]));
}
