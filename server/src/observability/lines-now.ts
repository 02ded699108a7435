import type { Logger } from "pino";
import { within } from "../lib/within.js";
import type { Store } from "../operations/store.js";
import { daysNow, type LinesLoad, linesLoad } from "../rules/lines-load.js";

/** The minimum time that a result is cached, in milliseconds, so that several scrapers cost no more than one. */
const servesMs = 60_000;

/** A result is cached for this multiple of the time its query took, so that queries use at most 5 % of the time. */
const restFactor = 20;

/** How long a scrape waits for the query. Prometheus gives up after ten seconds, and then has no metric at all. */
const waitsMs = 5_000;

/** The number of waiting people, cached so that its query never puts much load on the store. */
export class LinesNow {
  readonly #store: Pick<Store, "monitoring" | "now">;
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  #asking: Promise<LinesLoad | null> | null = null;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** `elapsed`: milliseconds of a monotonic clock. Default: the process's. */
  constructor(
    store: Pick<Store, "monitoring" | "now">,
    logger: Logger,
    elapsed: () => number = () => performance.now(),
  ) {
    this.#store = store;
    this.#logger = logger;
    this.#elapsed = elapsed;
  }

  /** Null if the database does not respond in time. */
  read(): Promise<LinesLoad | null> {
    if (!this.#asking || this.#elapsed() >= this.#notBefore) this.#asking = this.#ask();
    return within(waitsMs, this.#asking, null);
  }

  async #ask(): Promise<LinesLoad | null> {
    const began = this.#elapsed();
    this.#notBefore = Number.POSITIVE_INFINITY; // calls in the meantime wait for the same result
    try {
      const now = this.#store.now();
      return linesLoad(await this.#store.monitoring.linesByDay(daysNow(now)), now);
    } catch (error) {
      this.#logger.warn({ err: error }, "the metrics have no queue lengths: the store failed");
      return null;
    } finally {
      const ended = this.#elapsed();
      this.#notBefore = ended + Math.max(servesMs, restFactor * (ended - began));
    }
  }
}
