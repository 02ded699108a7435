/** The people waiting before somebody, and the work they bring. */
export interface Ahead {
  /** How many wait before. */
  readonly people: number;
  /** Minutes of those of them whose work is known. */
  readonly knownMinutes: number;
  /** How many of them have a work that is not known. */
  readonly unknown: number;
}

/** What goes on in a queue on one day. */
export interface LinePace {
  /** People being served now. */
  readonly inService: number;
  /** Entries finished on that day, and the minutes they took together. */
  readonly finished: number;
  readonly finishedMinutes: number;
}

/** One person in the line: the minutes of work they bring, null when unknown. */
export type Work = number | null;

/** Place in the line; 1 means next. */
export function position(ahead: Ahead): number {
  return ahead.people + 1;
}

/** Mean minutes of the entries finished on that day, or null when there is none. */
function meanMinutes(pace: LinePace): number | null {
  return pace.finished > 0 ? pace.finishedMinutes / pace.finished : null;
}

/**
 * Minutes of work ahead, shared by the people being served now (at least one), rounded up. Work that
 * is not known counts as the day's mean; null when there is no mean either.
 */
export function predictedWait(ahead: Ahead, pace: LinePace): number | null {
  const mean = meanMinutes(pace);
  if (ahead.unknown > 0 && mean === null) return null;
  const minutes = ahead.knownMinutes + ahead.unknown * (mean ?? 0);
  // Sums of thirds and the like carry a tail of binary dust that must not round up to a minute.
  return Math.ceil(Number((minutes / Math.max(1, pace.inService)).toFixed(6)));
}

export const nobodyAhead: Ahead = { people: 0, knownMinutes: 0, unknown: 0 };

/** Who is ahead of the next person, once this one stands in line too. */
export function behind(ahead: Ahead, work: Work): Ahead {
  return {
    people: ahead.people + 1,
    knownMinutes: ahead.knownMinutes + (work ?? 0),
    unknown: ahead.unknown + (work === null ? 1 : 0),
  };
}

/** Rounded mean of everybody's predicted wait, in line order; null when nobody waits or any is unknown. */
export function averageWait(line: readonly Work[], pace: LinePace): number | null {
  if (line.length === 0) return null;
  let ahead = nobodyAhead;
  let sum = 0;
  for (const work of line) {
    const wait = predictedWait(ahead, pace);
    if (wait === null) return null;
    sum += wait;
    ahead = behind(ahead, work);
  }
  return Math.round(sum / line.length);
}
