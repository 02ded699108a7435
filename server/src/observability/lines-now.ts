import type { Logger } from "pino";
import { daysNow, type LinesLoad, linesLoad } from "../rules/lines-load.js";
import type { Store } from "../store/store.js";

/** How long an answer serves at least, in milliseconds: several scrapers cost no more than one. */
const servesMs = 10_000;

/** How many times as long as it took to find out an answer serves: so at most 5 % of the time is spent on it. */
const restFactor = 20;

/** How many people wait, asked seldom enough that the question is never a load of its own. */
export class LinesNow {
  readonly #store: Pick<Store, "monitoring" | "now">;
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  #asking: Promise<LinesLoad | null> | null = null;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** `elapsed`: milliseconds of a clock that never goes back. Default: the process's. */
  constructor(
    store: Pick<Store, "monitoring" | "now">,
    logger: Logger,
    elapsed: () => number = () => performance.now(),
  ) {
    this.#store = store;
    this.#logger = logger;
    this.#elapsed = elapsed;
  }

  /** Null if the database does not answer. */
  read(): Promise<LinesLoad | null> {
    if (!this.#asking || this.#elapsed() >= this.#notBefore) this.#asking = this.#ask();
    return this.#asking;
  }

  async #ask(): Promise<LinesLoad | null> {
    const began = this.#elapsed();
    this.#notBefore = Number.POSITIVE_INFINITY; // who asks meanwhile waits for the same answer
    try {
      const now = await this.#store.now();
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
