import { EventEmitter, once } from "node:events";

export type Gate = ReturnType<typeof gate>;

/** Less than the timeout of a test, whose error does not say which line waits. */
const patienceMs = 60_000;

/** Pauses code at a point. Open until a test closes it. Counts the calls that wait. */
export function gate() {
  const events = new EventEmitter().setMaxListeners(0);
  let isClosed = false;
  let arrived = 0;
  return {
    async pass(): Promise<void> {
      if (!isClosed) return;
      arrived++;
      events.emit("arrival");
      await once(events, "open");
    },
    /** Makes later calls of `pass` wait, and restarts the count. */
    close(): void {
      isClosed = true;
      arrived = 0;
    },
    open(): void {
      isClosed = false;
      events.emit("open");
    },
    /** Resolves when this many calls have come since the gate was closed. Rejects if they do not come within a minute. */
    async reached(count: number): Promise<void> {
      const signal = AbortSignal.timeout(patienceMs);
      while (arrived < count) {
        await once(events, "arrival", { signal }).catch(() => {
          throw new Error(`${arrived} of ${count} calls came to the gate`);
        });
      }
    },
  };
}
