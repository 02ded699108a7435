import type { Clock, Random } from "../rules/ports.js";

/** The highest counter that six hexadecimal digits hold. */
const maxCount = 0xffffff;

/** Makes ids that are ordered by when they were made in this process, even if the clock is set back. */
export class OrderedIds {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #process: string;
  #time = 0;
  #count = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#process = Buffer.from(random(3)).toString("hex");
  }

  /**
   * 24 hexadecimal digits: the time, a counter, and a part that differs between processes. The counter grows by random
   * steps, so that it does not tell how many others were made.
   */
  next(): string {
    const now = Math.max(0, this.#clock());
    if (now > this.#time) {
      this.#time = now;
      this.#count = 0;
    }
    this.#count += 1 + (this.#random(1)[0] ?? 0);
    if (this.#count > maxCount) {
      this.#time += 1; // the clock was set back, and this time has no further ids
      this.#count = 0;
    }
    return `${hex(this.#time, 12)}${hex(this.#count, 6)}${this.#process}`;
  }
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}
