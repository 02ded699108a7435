import type { EntryStatus } from "@queue-api/contract";
import { businessDay, localHour } from "./business-day.js";
import type { Entry } from "./records.js";

/** Days from the first to the last, inclusive. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

/** The fields of an entry that statistics use. */
export type EntryTimes = Pick<
  Entry,
  "queueId" | "serviceId" | "date" | "status" | "issuedAt" | "startedAt" | "completedAt"
>;

/** The distribution of a duration over a number of entries. Minutes, rounded. */
interface Durations {
  /** The number of entries whose duration is known. */
  readonly people: number;
  /** The median; null if there are no entries. */
  readonly median: number | null;
  /** The 90th percentile. */
  readonly ninetieth: number | null;
  readonly longest: number | null;
}

/**
 * Statistics of a set of entries. A person who was transferred to another queue counts once, in the last one. They
 * have one wait, from their first token to their last call.
 */
export interface Statistics {
  readonly arrivals: number;
  /** Arrivals by local hour of the business; 24 numbers. */
  readonly arrivalsByHour: readonly number[];
  readonly served: number;
  readonly noShows: number;
  readonly canceled: number;
  /** Entries that are waiting or in service. On a past day, these entries were never ended. */
  readonly open: number;
  /** From the token to the call, for entries that were called. */
  readonly waits: Durations;
  /** From the call to the end, for entries that were served and ended on their day. Others were forgotten. */
  readonly serviceTimes: Durations;
}

/** Statistics of a range of days: in total, by day, by queue and by service. */
export interface StatisticsReport {
  readonly total: Statistics;
  /** By day, for days with an entry. */
  readonly byDay: ReadonlyMap<string, Statistics>;
  /** By queue id, for queues with an entry. */
  readonly byQueue: ReadonlyMap<string, Statistics>;
  /** By service id, for services with an entry; the key null is for entries without a service. */
  readonly byService: ReadonlyMap<string | null, Statistics>;
}

/** A longer duration counts as one day, because the entry was forgotten. */
const maxMinutes = 1_440;

/**
 * Counts entries one by one. It keeps the number of durations of each minute, so its memory does not grow
 * with the number of entries, and percentiles are exact to the minute.
 */
class Tally {
  #arrivals = 0;
  readonly #hours = new Array<number>(24).fill(0);
  readonly #waits = new Map<number, number>();
  readonly #serviceTimes = new Map<number, number>();
  readonly #byStatus: Record<EntryStatus, number> = {
    WAITING: 0,
    IN_SERVICE: 0,
    COMPLETED: 0,
    CANCELED: 0,
    NO_SHOW: 0,
  };

  add(entry: EntryTimes, hour: number, isServiceKnown: boolean): void {
    const { status, issuedAt, startedAt, completedAt } = entry;
    this.#byStatus[status] += 1;
    this.#arrivals += 1;
    this.#hours[hour] = (this.#hours[hour] ?? 0) + 1;
    if (startedAt === null) return;
    count(this.#waits, startedAt - issuedAt);
    if (isServiceKnown && completedAt !== null) count(this.#serviceTimes, completedAt - startedAt);
  }

  get statistics(): Statistics {
    const { WAITING, IN_SERVICE, COMPLETED, CANCELED, NO_SHOW } = this.#byStatus;
    return {
      arrivals: this.#arrivals,
      arrivalsByHour: [...this.#hours],
      served: COMPLETED,
      noShows: NO_SHOW,
      canceled: CANCELED,
      open: WAITING + IN_SERVICE,
      waits: durationsOf(this.#waits),
      serviceTimes: durationsOf(this.#serviceTimes),
    };
  }
}

function count(counts: Map<number, number>, ms: number): void {
  const minutes = Math.min(maxMinutes, Math.max(0, Math.round(ms / 60_000)));
  counts.set(minutes, (counts.get(minutes) ?? 0) + 1);
}

/** Percentiles by nearest rank, from the number of entries of each duration in minutes. */
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

/** Statistics without any entries. */
export const noStatistics: Statistics = new Tally().statistics;

/**
 * Statistics of entries that arrive in parts, for a business in this time zone. Memory grows with the number
 * of days and queues, not of entries.
 */
export async function reportOf(
  entries: AsyncIterable<readonly EntryTimes[]>,
  timezone: string | null,
): Promise<StatisticsReport> {
  const total = new Tally();
  const byDay = new Map<string, Tally>();
  const byQueue = new Map<string, Tally>();
  const byService = new Map<string | null, Tally>();
  for await (const some of entries) {
    for (const entry of some) {
      const hour = localHour(entry.issuedAt, timezone);
      const { completedAt } = entry;
      const isKnown = completedAt !== null && businessDay(completedAt, timezone) === entry.date;
      total.add(entry, hour, isKnown);
      tallyOf(byDay, entry.date).add(entry, hour, isKnown);
      tallyOf(byQueue, entry.queueId).add(entry, hour, isKnown);
      tallyOf(byService, entry.serviceId).add(entry, hour, isKnown);
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
