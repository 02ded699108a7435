import type { Clock } from "../../rules/ports.js";

/** The longest round trip of a reading that sets the clock. The clock is then wrong by half of it at most. */
const fastMs = 500;

/** How often the first reading is tried. */
const maxReadings = 5;

/**
 * The time of the database server, because the clocks of the instances may differ. Between two readings a monotonic
 * clock carries it on, independently of the machine's clock.
 */
export class ServerClock {
  readonly #readServer: () => Promise<number>;
  readonly #elapsed: Clock;
  /** By how much the server's clock is ahead of the monotonic clock. */
  #ahead = 0;

  /** @param elapsed Milliseconds of a monotonic clock. */
  constructor(readServer: () => Promise<number>, elapsed: Clock) {
    this.#readServer = readServer;
    this.#elapsed = elapsed;
  }

  readonly now: Clock = () => Math.floor(this.#ahead + this.#elapsed());

  /** Sets the clock for the first time. If every reading is slow, it is behind by the fastest one at most. */
  async start(): Promise<void> {
    let minAhead = Number.NEGATIVE_INFINITY;
    for (let readings = 0; readings < maxReadings; readings++) {
      const reading = await this.read();
      if (reading.isFast) return;
      minAhead = Math.max(minAhead, reading.minAhead);
    }
    this.#ahead = minAhead;
  }

  /** Reads the server's time, and sets the clock if the response comes fast. A slow response does not move it. */
  async read(): Promise<{ readonly isFast: boolean; readonly minAhead: number }> {
    const sent = this.#elapsed();
    const time = await this.#readServer();
    const responded = this.#elapsed();
    const isFast = responded - sent <= fastMs;
    if (isFast) this.#ahead = time - (sent + responded) / 2;
    return { isFast, minAhead: time - responded };
  }
}
