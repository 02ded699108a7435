/** Pauses code at a point. Open until a test closes it. Counts the calls that wait. */
export interface Gate {
  /** Waits while the gate is closed. */
  pass(): Promise<void>;
  /** Makes later calls of `pass` wait, and restarts the count. */
  close(): void;
  /** Releases all waiting calls. */
  open(): void;
  /** Resolves when this many calls have come since the gate was closed. */
  reached(count: number): Promise<void>;
}

export function gate(): Gate {
  let closed: PromiseWithResolver | null = null;
  let arrived = 0;
  let watchers: { count: number; resolve: () => void }[] = [];
  return {
    async pass() {
      if (!closed) return;
      arrived++;
      for (const { count, resolve } of watchers) if (arrived >= count) resolve();
      await closed.promise;
    },
    close() {
      closed = promiseWithResolver();
      arrived = 0;
      watchers = [];
    },
    open() {
      closed?.resolve();
      closed = null;
    },
    reached: (count) =>
      new Promise((resolve) => {
        if (arrived >= count) resolve();
        else watchers.push({ count, resolve });
      }),
  };
}

interface PromiseWithResolver {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function promiseWithResolver(): PromiseWithResolver {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
