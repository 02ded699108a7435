import { Semaphore } from "../../lib/semaphore.js";
import type { Business } from "../../rules/records.js";
import { type EntryTimes, reportOf, type StatisticsReport } from "../../rules/statistics.js";
import { everyPart } from "../../store/port/page.js";
import type { DayRange } from "../../store/port/statistics.js";
import type { Store } from "../../store/store.js";

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

/** A report that is being computed or waits for a slot. */
interface UnderWay {
  readonly report: Promise<StatisticsReport>;
  readonly unwanted: AbortController;
  /** The number of requests that wait for it. */
  readers: number;
}

/**
 * Computes statistics, a few at the same time. Requests for the same report share one computation, which
 * stops when all of them are aborted. Reports are not cached, since any process can still end an entry of a
 * past day.
 */
export class Reports {
  readonly #store: Pick<Store, "statistics">;
  readonly #all = new Semaphore(perProcess);
  readonly #byBusiness = new Map<string, Semaphore>();
  readonly #underWay = new Map<string, UnderWay>();

  constructor(store: Pick<Store, "statistics">) {
    this.#store = store;
  }

  /**
   * The statistics of some entries. Rejects with the signal's reason if it is aborted first.
   *
   * @throws QueueFullError
   */
  async read(business: Business, asked: Asked, signal: AbortSignal): Promise<StatisticsReport> {
    signal.throwIfAborted();
    const { days, queueId } = asked;
    const name = JSON.stringify([business.id, business.timezone, days.first, days.last, queueId]);
    const shared = this.#underWay.get(name) ?? this.#begin(business, asked);
    this.#underWay.set(name, shared);
    shared.readers++;
    try {
      return await unlessAborted(shared.report, signal);
    } finally {
      shared.readers--;
      if (shared.readers === 0) {
        shared.unwanted.abort();
        this.#underWay.delete(name);
      }
    }
  }

  #begin(business: Business, { days, queueId }: Asked): UnderWay {
    const unwanted = new AbortController();
    const make = () => {
      const entries = everyPart((after) =>
        this.#store.statistics.entryTimes(business.id, days, queueId, after),
      );
      return reportOf(untilAborted(entries, unwanted.signal), business.timezone);
    };
    return { report: this.#inSlot(business.id, make, unwanted.signal), unwanted, readers: 0 };
  }

  async #inSlot<Result>(
    businessId: string,
    make: () => Promise<Result>,
    unwanted: AbortSignal,
  ): Promise<Result> {
    const own = this.#byBusiness.get(businessId) ?? new Semaphore(perBusiness);
    this.#byBusiness.set(businessId, own);
    try {
      return await own.run(() => this.#all.run(make, unwanted), unwanted);
    } finally {
      if (own.isIdle) this.#byBusiness.delete(businessId);
    }
  }
}

/** The entries, until the signal is aborted. Leaving the loop ends the work of the store. */
async function* untilAborted(
  entries: AsyncIterable<readonly EntryTimes[]>,
  unwanted: AbortSignal,
): AsyncIterable<readonly EntryTimes[]> {
  for await (const some of entries) {
    unwanted.throwIfAborted();
    yield some;
  }
}

function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    const stay = () => signal.removeEventListener("abort", leave);
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(stay);
  });
}
