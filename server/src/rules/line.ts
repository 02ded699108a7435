import type { Ahead, Entry, LinePace } from "./records.js";

/** A waiting entry in its line. */
export type WaitingEntry = Pick<
  Entry,
  "id" | "queueId" | "priority" | "tokenNumber" | "workMinutes"
>;

export function isWaiting({ status }: Pick<Entry, "status">): boolean {
  return status === "WAITING";
}

/** Orders waiting entries by when they will be called: those with priority first, then by number. */
export function inLineOrder(
  a: Pick<Entry, "priority" | "tokenNumber">,
  b: Pick<Entry, "priority" | "tokenNumber">,
): number {
  return Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber;
}

/** The minutes of work of a waiting entry; null if unknown. */
export type Work = number | null;

/** The rank in the line; 1 is next. */
export function position(ahead: Ahead): number {
  return ahead.people + 1;
}

/**
 * The work ahead, divided by the number of entries in service (at least one), in minutes, rounded up. Unknown
 * work counts as the mean duration of the day. Null if there is unknown work and no mean.
 *
 * It counts in a unit that makes everything whole: 1/(finished × 60000) minute, the denominator of the mean. Sums of
 * fractions of minutes would be slightly too large, and round up to an extra minute. With the 10,000 tokens that a
 * queue gives in a day, the numbers stay below 2^53.
 */
export function predictedWait(
  { knownMinutes, unknown }: Pick<Ahead, "knownMinutes" | "unknown">,
  { inService, finished, finishedMs }: LinePace,
): number | null {
  if (unknown > 0 && finished === 0) return null;
  const minute = Math.max(1, finished) * 60_000;
  // If the clock was set back, the total duration can be negative.
  const work = knownMinutes * minute + unknown * Math.max(0, finishedMs);
  return Math.ceil(work / (minute * Math.max(1, inService)));
}

export const noneAhead: Ahead = { people: 0, knownMinutes: 0, unknown: 0 };

/** What is ahead of the entry after this one. */
export function behind(ahead: Ahead, work: Work): Ahead {
  return {
    people: ahead.people + 1,
    knownMinutes: ahead.knownMinutes + (work ?? 0),
    unknown: ahead.unknown + (work === null ? 1 : 0),
  };
}

/**
 * The predicted wait as the pages of the owner show it. Before anything is finished, unknown work counts as the mean
 * of the known. Null if no work is known.
 */
export function expectedWait(ahead: Ahead, pace: LinePace): number | null {
  const known = ahead.people - ahead.unknown;
  const wait = predictedWait(ahead, pace);
  if (wait !== null || known === 0) return wait;
  return predictedWait(
    { knownMinutes: (ahead.knownMinutes / known) * ahead.people, unknown: 0 },
    pace,
  );
}

/** The waits in a line. */
export interface LineWaits {
  /** The rounded mean of the predicted waits; null if the line is empty or any wait is unknown. */
  readonly averageWaitMinutes: number | null;
  /** What is ahead of an entry that comes now. */
  readonly aheadOfNew: Ahead;
}

/** `line` has the work of all waiting entries in line order. */
export function waitsOf(line: readonly Work[], pace: LinePace): LineWaits {
  let aheadOfNew = noneAhead;
  let sum: number | null = 0;
  for (const work of line) {
    const wait = predictedWait(aheadOfNew, pace);
    sum = sum === null || wait === null ? null : sum + wait;
    aheadOfNew = behind(aheadOfNew, work);
  }
  const mean = sum === null || line.length === 0 ? null : Math.round(sum / line.length);
  return { averageWaitMinutes: mean, aheadOfNew };
}
