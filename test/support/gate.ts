/** A gate on somebody's way: open until it is closed, and it tells who has come to it. */
export interface Gate {
  /** Waits while the gate is closed. */
  pass(): Promise<void>;
  /** Stops whoever comes from now on; counts them anew. */
  close(): void;
  /** Lets all pass. */
  open(): void;
  /** Until that many have come since the gate was closed. */
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
