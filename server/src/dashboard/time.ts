/** A clock and its timers. */
export interface Time {
  /** Milliseconds of a monotonic clock with an arbitrary start. */
  readonly elapsed: () => number;
  /** Calls `act` once after `ms` milliseconds, unless the returned function is called first. */
  readonly after: (ms: number, act: () => void) => () => void;
}

/** The process's time. Its timers do not keep the process alive. */
export const processTime: Time = {
  elapsed: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
