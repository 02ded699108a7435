import type { Clock } from "../../rules/ports.js";

/** An aggregation expression. */
export type Expression = unknown;

/**
 * The store's time, which is the database's: the clocks of the instances may differ. Inside a command
 * it is an expression; between commands it is carried on from the last answer by a clock that only
 * runs forward, whatever happens to the machine's own.
 */
export interface StoreTime {
  /** Milliseconds since 1970, for pipelines and projections. */
  readonly expression: () => Expression;
  /** Takes note of the time that the database has just told. */
  readonly observe: (now: number) => void;
  /** The time without asking; null before anything was observed. */
  readonly estimate: () => number | null;
}

/** The time of the database, as its answers tell it. */
export function databaseTime(): StoreTime {
  let ahead: number | null = null;
  return {
    expression: () => ({ $toLong: "$$NOW" }),
    observe: (now) => {
      ahead = now - performance.now();
    },
    estimate: () => (ahead === null ? null : Math.floor(ahead + performance.now())),
  };
}

/** A time that somebody hands in instead: tests, which move it. */
export function handedTime(clock: Clock): StoreTime {
  return {
    expression: () => ({ $literal: clock() }),
    observe: () => {},
    estimate: clock,
  };
}
