/** The longest delay of a timer, 24.8 days. Longer ones fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Waits for `ms` milliseconds, or until the signal is aborted, whichever comes first. */
export function sleep(ms: number, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      stop.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(ms, maxTimerMs));
    stop.addEventListener("abort", wake);
  });
}

/** Settles as the work does, or with the reason of the signal when it is aborted, even if the work ignores it. */
export function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
    work.finally(() => signal.removeEventListener("abort", stop)).then(resolve, reject);
    if (signal.aborted) stop();
  });
}

const followersOf = new WeakMap<EventTarget, Set<AbortController>>();

function abortFollowers({ target }: Event): void {
  const signal = target as AbortSignal;
  for (const controller of followersOf.get(signal) ?? []) controller.abort(signal.reason);
}

/**
 * Aborts a controller when a signal is aborted, until it is released. All followers of a signal share one listener:
 * Node warns of more than ten, and `AbortSignal.any` leaves an entry in a signal for each call (Node 20).
 *
 * @returns Releases the controller. The last release removes the listener.
 */
export function follow(signal: AbortSignal, controller: AbortController): () => void {
  if (signal.aborted) controller.abort(signal.reason);
  const followers = followersOf.get(signal) ?? new Set();
  followersOf.set(signal, followers);
  followers.add(controller);
  signal.addEventListener("abort", abortFollowers); // adds it once
  return () => {
    followers.delete(controller);
    if (followers.size === 0) signal.removeEventListener("abort", abortFollowers);
  };
}
