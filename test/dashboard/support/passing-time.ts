import { setImmediate } from "node:timers/promises";
import type { Time } from "../../../server/src/dashboard/time.js";

/** Time that passes only when a test lets it. */
export class PassingTime implements Time {
  #now = 0;
  #due = new Set<{ readonly at: number; readonly act: () => void }>();

  readonly elapsed = (): number => this.#now;

  readonly after = (ms: number, act: () => void): (() => void) => {
    const due = { at: this.#now + ms, act };
    this.#due.add(due);
    return () => this.#due.delete(due);
  };

  /** How much waits for its time. */
  get waiting(): number {
    return this.#due.size;
  }

  /** Lets time pass. Whatever is due happens in its order, and all that follows from it at once. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await setImmediate();
      const [next] = [...this.#due].sort((one, other) => one.at - other.at);
      if (!next || next.at > end) break;
      this.#due.delete(next);
      this.#now = next.at;
      next.act();
    }
    this.#now = end;
  }
}
