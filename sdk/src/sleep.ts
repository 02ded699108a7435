/** The longest delay of a timer. Longer ones fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Waits for `ms` milliseconds, or until the signal is aborted, whichever comes first. */
export function sleep(ms: number, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      stop.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs));
    stop.addEventListener("abort", wake);
  });
}
