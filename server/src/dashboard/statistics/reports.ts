import { Semaphore } from "../../lib/semaphore.js";
import { everyPage } from "../../operations/every-page.js";
import type { Store } from "../../operations/store.js";
import type { Business } from "../../rules/records.js";
import { type DayRange, reportOf, type StatisticsReport } from "../../rules/statistics.js";

/** The limit of one process: a report keeps it busy while it reads. */
const perProcess = { concurrency: 2, maxWaiting: 20 } as const;
/** The limit of one business, so that its owners leave slots to other businesses. */
const perBusiness = { concurrency: 1, maxWaiting: 4 } as const;

/** Which entries a report is about. */
export interface Asked {
  readonly days: DayRange;
  /** Null for all queues. */
  readonly queueId: string | null;
}

/** Computes statistics, a few at the same time. They are not cached: any process can still end an entry of a past day. */
export class Reports {
  readonly #all = new Semaphore(perProcess);
  readonly #byBusiness = new Map<string, Semaphore>();
  readonly #store: Pick<Store, "statistics">;

  constructor(store: Pick<Store, "statistics">) {
    this.#store = store;
  }

  /**
   * The statistics of some entries. Rejects with the signal's reason if it is aborted first.
   *
   * @throws QueueFullError
   */
  async read(
    { id, timezone }: Business,
    { days, queueId }: Asked,
    signal: AbortSignal,
  ): Promise<StatisticsReport> {
    const own = this.#byBusiness.get(id) ?? new Semaphore(perBusiness);
    this.#byBusiness.set(id, own);
    const make = () => {
      const entries = everyPage((after) => {
        signal.throwIfAborted();
        return this.#store.statistics.entryTimes(id, days, queueId, after);
      });
      return reportOf(entries, timezone);
    };
    try {
      return await own.run(() => this.#all.run(make, signal), signal);
    } finally {
      if (own.isIdle) this.#byBusiness.delete(id);
    }
  }
}
