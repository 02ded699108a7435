import type { EntryStatus } from "@queue-api/contract";
import { localHours } from "./business-day.js";
import type { Entry } from "./records.js";

/** What statistics need to know of an entry. */
export type EntryTimes = Pick<
  Entry,
  "queueId" | "serviceId" | "date" | "status" | "issuedAt" | "startedAt" | "completedAt"
>;

/** How long something took for a number of people. Minutes, rounded. */
interface Durations {
  /** For how many it is known. */
  readonly people: number;
  /** For half of them it took no longer; null when there are none. */
  readonly median: number | null;
  /** For nine of ten it took no longer. */
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
  /** From the token to the call, of those who were called. */
  readonly waits: Durations;
  /** From the call to the end, of those who were served. */
  readonly services: Durations;
}

/** Statistics of some days: all together, by day, by queue and by service. */
export interface StatisticsReport {
  readonly total: Statistics;
  /** By day, for the days with an entry. */
  readonly byDay: ReadonlyMap<string, Statistics>;
  /** By queue id, for the queues with an entry. */
  readonly byQueue: ReadonlyMap<string, Statistics>;
  /** By service id, for the services with an entry; null for entries without a service. */
  readonly byService: ReadonlyMap<string | null, Statistics>;
}

/** What takes longer than a day is counted as a day: the entry was forgotten. */
const longestMinutes = 1_440;

/**
 * Counts entries as they come. Durations are kept as a count for each minute, so that its memory does not
 * grow with their number and a percentile is still exact to the minute.
 */
class Tally {
  readonly #hours = new Array<number>(24).fill(0);
  readonly #waits = new Map<number, number>();
  readonly #services = new Map<number, number>();
  readonly #ended: Record<EntryStatus, number> = {
    WAITING: 0,
    IN_SERVICE: 0,
    COMPLETED: 0,
    CANCELED: 0,
    NO_SHOW: 0,
  };

  add({ status, issuedAt, startedAt, completedAt }: EntryTimes, hour: number): void {
    this.#ended[status] += 1;
    this.#hours[hour] = (this.#hours[hour] ?? 0) + 1;
    if (startedAt === null) return;
    count(this.#waits, startedAt - issuedAt);
    if (completedAt !== null) count(this.#services, completedAt - startedAt);
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
      waits: durationsOf(this.#waits),
      services: durationsOf(this.#services),
    };
  }
}

function count(counts: Map<number, number>, ms: number): void {
  const minutes = Math.min(longestMinutes, Math.max(0, Math.round(ms / 60_000)));
  counts.set(minutes, (counts.get(minutes) ?? 0) + 1);
}

/** Percentiles by nearest rank, of how many people each number of minutes is known. */
function durationsOf(counts: ReadonlyMap<number, number>): Durations {
  const counted = [...counts].sort(([a], [b]) => a - b);
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
  const byService = new Map<string | null, Tally>();
  for await (const some of entries) {
    for (const entry of some) {
      const hour = hourOf(entry.issuedAt);
      total.add(entry, hour);
      tallyOf(byDay, entry.date).add(entry, hour);
      tallyOf(byQueue, entry.queueId).add(entry, hour);
      tallyOf(byService, entry.serviceId).add(entry, hour);
    }
  }
  const parts = { byDay: endOf(byDay), byQueue: endOf(byQueue), byService: endOf(byService) };
  return { total: total.statistics, ...parts };
}

function tallyOf<Name>(tallies: Map<Name, Tally>, name: Name): Tally {
  const known = tallies.get(name);
  if (known) return known;
  const made = new Tally();
  tallies.set(name, made);
  return made;
}

function endOf<Name>(tallies: ReadonlyMap<Name, Tally>): Map<Name, Statistics> {
  return new Map([...tallies].map(([name, tally]) => [name, tally.statistics]));
}
