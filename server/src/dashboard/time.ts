/** Time as it passes, and what waits for it. */
export interface Time {
  /** Milliseconds of a clock that never goes back, from any beginning. */
  readonly elapsed: () => number;
  /** Does something once, after so many milliseconds, unless what it returns is called before. */
  readonly after: (ms: number, act: () => void) => () => void;
}

/** The process's time. What waits for it keeps no process alive. */
export const processTime: Time = {
  elapsed: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
