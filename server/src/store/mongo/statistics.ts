import type { EntryTimes } from "../../rules/statistics.js";
import type { DayRange } from "../port/statistics.js";
import type { Catalogue } from "./catalogue.js";
import type { Database } from "./connection.js";
import { reaching } from "./unavailable.js";

/** Entries that one command brings. */
const step = 2_000;

/** What statistics need of entries, queue by queue. */
export class Statistics {
  readonly #db: Database;
  readonly #catalogue: Catalogue;

  constructor(db: Database, catalogue: Catalogue) {
    this.#db = db;
    this.#catalogue = catalogue;
  }

  async *entryTimes(
    businessId: string,
    { first, last }: DayRange,
    inQueue: string | null,
  ): AsyncIterable<readonly EntryTimes[]> {
    const queues = await reaching(() => this.#catalogue.queues(businessId));
    for (const { id: queueId } of queues) {
      if (inQueue !== null && queueId !== inQueue) continue;
      const found = this.#db.entries.raw
        .find(
          { businessId, queueId, date: { $gte: first, $lte: last } },
          { projection: { _id: 0, queueId: 1, date: 1, status: 1, issuedAt: 1, startedAt: 1 } },
        )
        .batchSize(step);
      try {
        while (await reaching(() => found.hasNext())) yield found.readBufferedDocuments();
      } finally {
        await found.close();
      }
    }
  }
}
