/** The entries that wait before an entry, and their work. */
export interface Ahead {
  /** The number of entries. */
  readonly people: number;
  /** Total minutes of the entries whose work is known. */
  readonly knownMinutes: number;
  /** The number of entries whose work is unknown. */
  readonly unknown: number;
}

/** The pace of a queue on one day. */
export interface LinePace {
  /** Entries in service now. */
  readonly inService: number;
  /** Entries finished on that day, and their total duration in milliseconds. */
  readonly finished: number;
  readonly finishedMs: number;
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
 */
export function predictedWait(ahead: Ahead, pace: LinePace): number | null {
  if (ahead.unknown > 0 && pace.finished === 0) return null;
  const work = new WorkAhead(pace);
  work.addKnown(ahead.knownMinutes);
  work.addUnknown(ahead.unknown);
  return work.wait();
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

/** The work of waiting entries in line order, packed because a line can be long. */
export type PackedWork = Int32Array;

const unknownWork = -1;

export function packWork(works: readonly Work[]): PackedWork {
  return Int32Array.from(works, (work) => work ?? unknownWork);
}

/**
 * Rounded mean of the predicted waits of a line; null if it is empty or any wait is unknown. `line` contains
 * all waiting entries in line order, in any number of parts.
 */
export function averageWait(line: readonly PackedWork[], pace: LinePace): number | null {
  const ahead = new WorkAhead(pace);
  let people = 0;
  let sum = 0;
  let waitIsKnown = true;
  for (const part of line) {
    for (const work of part) {
      if (!waitIsKnown) return null;
      people += 1;
      sum += ahead.wait();
      if (work !== unknownWork) ahead.addKnown(work);
      else if (pace.finished > 0) ahead.addUnknown(1);
      else waitIsKnown = false;
    }
  }
  return people === 0 ? null : Math.round(sum / people);
}

/**
 * Adds up work exactly: whole minutes, and a rest in units of 1/(finished × 60000) minute, the denominator of
 * the day's mean. Sums of floating-point fractions would be slightly too large and round up to an extra
 * minute.
 */
class WorkAhead {
  readonly #servers: number;
  readonly #partsPerMinute: number;
  readonly #meanMinutes: number;
  readonly #meanRest: number;
  #minutes = 0;
  #rest = 0;

  constructor({ inService, finished, finishedMs }: LinePace) {
    const mean = Math.max(0, finishedMs); // if the clock was set back, the total can be negative
    this.#servers = Math.max(1, inService);
    this.#partsPerMinute = Math.max(1, finished) * 60_000;
    this.#meanMinutes = Math.floor(mean / this.#partsPerMinute);
    this.#meanRest = mean % this.#partsPerMinute;
  }

  addKnown(minutes: number): void {
    this.#minutes += minutes;
  }

  /** Adds entries whose work is the day's mean. */
  addUnknown(people: number): void {
    this.#minutes += people * this.#meanMinutes;
    let rest = this.#rest + people * this.#meanRest;
    if (rest >= this.#partsPerMinute) {
      const carried = wholeTimes(people, this.#meanRest, this.#rest, this.#partsPerMinute);
      this.#minutes += carried.quotient;
      rest = carried.remainder;
    }
    this.#rest = rest;
  }

  /** Minutes until all work is done, rounded up. */
  wait(): number {
    const whole = Math.floor(this.#minutes / this.#servers);
    return whole * this.#servers === this.#minutes && this.#rest === 0 ? whole : whole + 1;
  }
}

/**
 * The quotient and remainder of `people * each + more` divided by `parts`. Exact even if the product exceeds
 * the safe integers.
 */
function wholeTimes(people: number, each: number, more: number, parts: number) {
  const sum = people * each + more;
  if (sum <= Number.MAX_SAFE_INTEGER) {
    const remainder = sum % parts;
    return { quotient: (sum - remainder) / parts, remainder };
  }
  const exact = BigInt(people) * BigInt(each) + BigInt(more);
  return { quotient: Number(exact / BigInt(parts)), remainder: Number(exact % BigInt(parts)) };
}
