/** A timer that was set. */
export type Timer = unknown;

/** What a call takes from its surroundings, so that a test can hand in a clock of its own. */
export interface Environment {
  /** Milliseconds since 1970, never running backwards. */
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => Timer;
  readonly clearTimer: (timer: Timer) => void;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** A new idempotency key. */
  readonly uuid: () => string;
}

/** Longer timers would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The globals, looked up at each use, so that fake timers that are installed later are seen. */
export const systemEnvironment: Environment = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer: (run, ms) => setTimeout(run, Math.min(ms, longestTimerMs)),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};
