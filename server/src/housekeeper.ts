import type { Logger } from "pino";
import { type RemovalReport, removalBatchSize } from "./operations/maintenance.js";
import type { Store } from "./operations/store.js";

const everyMs = 60_000;

/** Deletes expired records once a minute, in small batches so that requests run between them. */
export class Housekeeper {
  readonly #store: Store;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #isStopped = false;

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), everyMs);
  }

  /** Starts no further batch. The store closes after the current one. */
  stop(): void {
    clearInterval(this.#timer);
    this.#isStopped = true;
  }

  /**
   * Deletes the records that have expired, until a batch is not full: under load, some expire at each moment, and the next
   * round removes those. Does nothing while the round before is under way.
   */
  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      let removed: RemovalReport;
      do removed = await this.#store.maintenance.removeExpired();
      while (!this.#isStopped && Object.values(removed).some((count) => count >= removalBatchSize));
    } catch (error) {
      if (this.#isStopped) return;
      this.#logger.warn(
        { err: error },
        "expired records could not be removed; trying again in the next round",
      );
    } finally {
      this.#running = false;
    }
  }
}
