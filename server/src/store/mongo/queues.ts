import type { Queue } from "../../rules/records.js";
import type { QueueChange } from "../port/queues.js";
import type { Catalogue } from "./catalogue.js";
import { changeOne } from "./change-one.js";
import { readQueue, writeQueue } from "./collections/queues.js";
import type { Database } from "./connection.js";
import { nextPlace } from "./next-place.js";

/** Changes the queues of a business. Each change is a new revision of the business. */
export class Queues {
  readonly #db: Database;
  readonly #catalogue: Catalogue;

  constructor(db: Database, catalogue: Catalogue) {
    this.#db = db;
    this.#catalogue = catalogue;
  }

  async add(businessId: string, queue: Queue): Promise<void> {
    const { queues } = this.#db;
    await this.#catalogue.change(businessId, {}, async () => {
      await queues.raw.insertOne(writeQueue(queue, await nextPlace(queues, businessId)));
    });
  }

  async change(businessId: string, queueId: string, change: QueueChange): Promise<Queue | null> {
    return this.#catalogue.change(businessId, {}, async () => {
      const doc = await changeOne(this.#db.queues.raw, businessId, queueId, change);
      return doc && readQueue(doc);
    });
  }
}
