import { EventEmitter, once } from "node:events";

export type Gate = ReturnType<typeof gate>;

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
    /** Resolves when this many calls have come since the gate was closed. */
    async reached(count: number): Promise<void> {
      while (arrived < count) await once(events, "arrival");
    },
  };
}
