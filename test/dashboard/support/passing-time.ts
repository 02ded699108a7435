import { setImmediate } from "node:timers/promises";
import type { Time } from "../../../server/src/dashboard/time.js";

/** A clock that a test advances. */
export class PassingTime implements Time {
  #now = 0;
  #due = new Set<{ readonly at: number; readonly act: () => void }>();

  readonly elapsed = (): number => this.#now;

  readonly after = (ms: number, act: () => void): (() => void) => {
    const due = { at: this.#now + ms, act };
    this.#due.add(due);
    return () => this.#due.delete(due);
  };

  /** The number of set timers. */
  get waiting(): number {
    return this.#due.size;
  }

  /** Advances the time. Runs each due timer in order, with all its immediate effects. */
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
