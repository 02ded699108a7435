import { EventEmitter, once } from "node:events";

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
  const events = new EventEmitter().setMaxListeners(0);
  let isClosed = false;
  let arrived = 0;
  return {
    async pass() {
      if (!isClosed) return;
      arrived++;
      events.emit("arrival");
      await once(events, "open");
    },
    close() {
      isClosed = true;
      arrived = 0;
    },
    open() {
      isClosed = false;
      events.emit("open");
    },
    async reached(count) {
      while (arrived < count) await once(events, "arrival");
    },
  };
}
