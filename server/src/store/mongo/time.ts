import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";

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
  /** Takes note of a time that the database has just returned. */
  readonly observe: (now: number) => void;
  /** The time without asking; null before anything was observed. */
  readonly estimate: () => number | null;
  /** The time by which things expire that are kept long, when the database tells this one. */
  readonly settled: (now: number) => number;
  /** The same for pipelines, by what was observed last. */
  readonly expiry: () => Expression;
  /** Waits in the background, for so many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Milliseconds by a clock that only runs forward, to measure how long something takes. */
  readonly elapsed: () => number;
}

const pause = (milliseconds: number): Promise<void> => setTimeout(milliseconds);

/** The time of the database, as its answers carry it. */
export function databaseTime(elapsed: Clock): StoreTime {
  const settled = new SettledTime(elapsed);
  const expression = () => ({ $toLong: "$$NOW" });
  let ahead: number | null = null;
  const estimate = () => (ahead === null ? null : Math.floor(ahead + elapsed()));
  return {
    pause,
    elapsed,
    expression,
    observe: (now) => {
      ahead = now - elapsed();
      settled.at(now); // so that a leap is told from a time that was never known
    },
    estimate,
    settled: (now) => settled.at(now),
    expiry: () => {
      const now = estimate();
      const until = now === null ? null : settled.at(now);
      return until === now ? expression() : { $min: [expression(), { $literal: until }] };
    },
  };
}

/** A time that is handed in instead: tests, which move it. */
export function handedTime(clock: Clock, elapsed: Clock): StoreTime {
  const settled = new SettledTime(elapsed);
  return {
    pause,
    elapsed,
    expression: () => ({ $literal: clock() }),
    observe: () => {},
    estimate: clock,
    settled: (now) => settled.at(now),
    expiry: () => ({ $literal: settled.at(clock()) }),
  };
}
