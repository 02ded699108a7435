import type { Business } from "../../rules/records.js";
import { type EntryTimes, reportOf, type StatisticsReport } from "../../rules/statistics.js";
import { everyPart } from "../../store/every-part.js";
import type { DayRange } from "../../store/port/statistics.js";
import type { Store } from "../../store/store.js";
import { Turns } from "../../turns.js";

/** Reports that a process makes at once: each keeps it busy while it reads. */
const ofAll = { atOnce: 2, waiting: 20 } as const;
/** Of one business only one is made at once, so that its owners take no place from others. */
const ofOne = { atOnce: 1, waiting: 4 } as const;

/** Which entries a report is about. */
export interface Asked {
  readonly days: DayRange;
  /** Null for all queues. */
  readonly queueId: string | null;
}

/** A report that is being made, or waits for its turn. */
interface UnderWay {
  readonly report: Promise<StatisticsReport>;
  readonly unwanted: AbortController;
  /** How many wait for it. */
  readers: number;
}

/**
 * Makes statistics, few at once. Whoever asks for what somebody has asked for shares the report, and
 * one that nobody waits for any more is made no further. Nothing is remembered when it is told: an entry
 * of a day that is over can still be ended, by any process.
 */
export class Reports {
  readonly #store: Pick<Store, "statistics">;
  readonly #all = new Turns(ofAll);
  readonly #ofEach = new Map<string, Turns>();
  readonly #underWay = new Map<string, UnderWay>();

  constructor(store: Pick<Store, "statistics">) {
    this.#store = store;
  }

  /**
   * The statistics of some entries. Fails with the signal's reason for whoever is gone before.
   *
   * @throws TooManyWait
   */
  async read(business: Business, asked: Asked, gone: AbortSignal): Promise<StatisticsReport> {
    gone.throwIfAborted();
    const { days, queueId } = asked;
    const name = JSON.stringify([business.id, business.timezone, days.first, days.last, queueId]);
    const shared = this.#underWay.get(name) ?? this.#begin(business, asked);
    this.#underWay.set(name, shared);
    shared.readers++;
    try {
      return await unlessGone(shared.report, gone);
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
      return reportOf(whileWanted(entries, unwanted.signal), business.timezone);
    };
    return { report: this.#inTurn(business.id, make, unwanted.signal), unwanted, readers: 0 };
  }

  async #inTurn<Result>(
    businessId: string,
    make: () => Promise<Result>,
    unwanted: AbortSignal,
  ): Promise<Result> {
    const own = this.#ofEach.get(businessId) ?? new Turns(ofOne);
    this.#ofEach.set(businessId, own);
    try {
      return await own.take(() => this.#all.take(make, unwanted), unwanted);
    } finally {
      if (own.isIdle) this.#ofEach.delete(businessId);
    }
  }
}

/** Entries as long as somebody wants them; leaving the loop ends the store's work. */
async function* whileWanted(
  entries: AsyncIterable<readonly EntryTimes[]>,
  unwanted: AbortSignal,
): AsyncIterable<readonly EntryTimes[]> {
  for await (const some of entries) {
    unwanted.throwIfAborted();
    yield some;
  }
}

function unlessGone<Result>(work: Promise<Result>, gone: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(gone.reason);
    const stay = () => gone.removeEventListener("abort", leave);
    gone.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(stay);
  });
}
