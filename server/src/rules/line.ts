/** The entries that wait before an entry, and their work. */
export interface Ahead {
  /** How many they are. */
  readonly people: number;
  /** Minutes of the ones whose work is known. */
  readonly knownMinutes: number;
  /** How many have a work that is not known. */
  readonly unknown: number;
}

/** How a queue works on one day. */
export interface LinePace {
  /** Entries being served now. */
  readonly inService: number;
  /** Entries finished on that day, and the milliseconds they took together. */
  readonly finished: number;
  readonly finishedMs: number;
}

/** The minutes of work of a waiting entry; null when unknown. */
export type Work = number | null;

/** Place in the line; 1 means next. */
export function position(ahead: Ahead): number {
  return ahead.people + 1;
}

/**
 * Minutes of work ahead, shared by the people being served now (at least one), rounded up. Work that
 * is not known counts as the day's mean; null when there is no mean either.
 */
export function predictedWait(ahead: Ahead, pace: LinePace): number | null {
  if (ahead.unknown > 0 && pace.finished === 0) return null;
  const work = new WorkAhead(pace);
  work.addKnown(ahead.knownMinutes);
  work.addUnknown(ahead.unknown);
  return work.wait();
}

export const nobodyAhead: Ahead = { people: 0, knownMinutes: 0, unknown: 0 };

/** What is ahead of the next entry, once this one is in the line too. */
export function behind(ahead: Ahead, work: Work): Ahead {
  return {
    people: ahead.people + 1,
    knownMinutes: ahead.knownMinutes + (work ?? 0),
    unknown: ahead.unknown + (work === null ? 1 : 0),
  };
}

/** The work of people in line order, packed: a line may be long. */
export type PackedWork = Int32Array;

const unknownWork = -1;

export function packWork(works: readonly Work[]): PackedWork {
  return Int32Array.from(works, (work) => work ?? unknownWork);
}

/**
 * Rounded mean of the predicted waits of a line; null when it is empty or any is unknown. `line`: everybody
 * waiting, in line order, in as many parts as the caller has them in.
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
 * Adds up work in whole numbers: minutes, and a rest in parts of a minute, of which as many make a minute
 * as the day's mean has in its denominator. Sums of thirds and the like would otherwise carry a tail of
 * binary dust, and round up to a minute too much.
 */
class WorkAhead {
  readonly #servers: number;
  readonly #partsPerMinute: number;
  readonly #meanMinutes: number;
  readonly #meanRest: number;
  #minutes = 0;
  #rest = 0;

  constructor({ inService, finished, finishedMs }: LinePace) {
    const mean = Math.max(0, finishedMs); // a clock that was set back finishes entries before they begin
    this.#servers = Math.max(1, inService);
    this.#partsPerMinute = Math.max(1, finished) * 60_000;
    this.#meanMinutes = Math.floor(mean / this.#partsPerMinute);
    this.#meanRest = mean % this.#partsPerMinute;
  }

  addKnown(minutes: number): void {
    this.#minutes += minutes;
  }

  /** Adds people whose work is the day's mean. */
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

  /** Minutes until all of it is done, rounded up. */
  wait(): number {
    const whole = Math.floor(this.#minutes / this.#servers);
    return whole * this.#servers === this.#minutes && this.#rest === 0 ? whole : whole + 1;
  }
}

/** `people * each + more` divided by `parts`, exact also beyond the whole numbers that a double holds. */
function wholeTimes(people: number, each: number, more: number, parts: number) {
  const sum = people * each + more;
  if (sum <= Number.MAX_SAFE_INTEGER) {
    const remainder = sum % parts;
    return { quotient: (sum - remainder) / parts, remainder };
  }
  const exact = BigInt(people) * BigInt(each) + BigInt(more);
  return { quotient: Number(exact / BigInt(parts)), remainder: Number(exact % BigInt(parts)) };
}
