import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";

/** An aggregation expression. */
export type Expression = unknown;

/**
 * The store's time, which is the database's, because the clocks of the instances may differ. Inside a command
 * it is an expression. Between commands a monotonic clock extends it from the last response, independently of
 * the machine's clock.
 */
export interface StoreTime {
  /** Milliseconds since 1970, for pipelines and projections. */
  readonly expression: () => Expression;
  /** Records a time that the database has just returned. */
  readonly observe: (now: number) => void;
  /** The time without a command; null before the first time was observed. */
  readonly estimate: () => number | null;
  /** The time that expires long-lived records when the database reports `now`. */
  readonly settled: (now: number) => number;
  /** The same as an expression for pipelines, from the last observed time. */
  readonly expiry: () => Expression;
  /** Waits that many milliseconds in the background. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Milliseconds of a monotonic clock, to measure durations. */
  readonly elapsed: () => number;
}

const pause = (milliseconds: number): Promise<void> => setTimeout(milliseconds);

/** The time of the database, as its responses report it. */
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
      settled.at(now); // the first reading, without which a leap cannot be detected
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

/** A clock that the caller passes in: tests move it. */
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
