import type { Queue, Service } from "../../rules/records.js";
import { Coalescer, onceForAll } from "./coalescer.js";
import { type BusinessDoc, copyOf } from "./collections/businesses.js";
import { readQueue } from "./collections/queues.js";
import { readService } from "./collections/services.js";
import type { Database } from "./connection.js";

/** The offer of a business at one revision. */
export interface Offer {
  readonly revision: number;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly services: ReadonlyMap<string, Service>;
}

/** The maximum number of businesses whose offers one process remembers. */
const mostRemembered = 10_000;

/**
 * The records that rarely change: businesses, their services and queues. Each change creates a new revision
 * of the business, and its keys contain a copy of the revision. So admission shows, without another command,
 * whether this process's copy of a business is current.
 */
export class Catalogue {
  readonly #db: Database;
  readonly #revisions = new Map<string, number>();
  readonly #offers = new Map<string, Offer>();
  readonly #reads = new Coalescer<() => Promise<Offer>, Offer>(onceForAll);

  constructor(db: Database) {
    this.#db = db;
  }

  /** Records the revision that the admission of a key or an owner found. */
  observe(businessId: string, revision: number): void {
    if (revision === this.#revisions.get(businessId)) return;
    this.#revisions.delete(businessId);
    this.#revisions.set(businessId, revision);
    dropOldest(this.#revisions);
  }

  /** The queues and services of a business, at least as new as its last admission in this process. */
  async offer(businessId: string): Promise<Offer> {
    const revision = this.#revisions.get(businessId);
    const known = this.#offers.get(businessId);
    if (known && known.revision === revision) return known;
    return this.#reads.run(businessId, () => this.#readOffer(businessId));
  }

  async #readOffer(businessId: string): Promise<Offer> {
    const revision = this.#revisions.get(businessId);
    const [queues, services] = await Promise.all([
      this.queues(businessId),
      this.services(businessId),
    ]);
    const offer = { revision: revision ?? 0, queues: byId(queues), services: byId(services) };
    if (revision !== undefined) {
      this.#offers.delete(businessId);
      this.#offers.set(businessId, offer);
      dropOldest(this.#offers);
    }
    return offer;
  }

  /** Makes the next read of a business use the database. */
  forget(businessId: string): void {
    this.#revisions.delete(businessId);
    this.#offers.delete(businessId);
  }

  /** Makes the next read of every business use the database. */
  forgetAll(): void {
    this.#revisions.clear();
    this.#offers.clear();
  }

  async services(businessId: string): Promise<Service[]> {
    const docs = await this.#db.services.model.find({ businessId }).sort({ place: 1 }).lean();
    return docs.map(readService);
  }

  async queues(businessId: string): Promise<Queue[]> {
    const docs = await this.#db.queues.model.find({ businessId }).sort({ place: 1 }).lean();
    return docs.map(readQueue);
  }

  /**
   * Marks the business before the change, and removes the mark when every key has the new revision. After a
   * crash, the next `prune` updates the keys of marked businesses.
   */
  async change<Result>(
    businessId: string,
    fields: Partial<BusinessDoc>,
    make: () => Promise<Result>,
  ): Promise<Result> {
    const { raw } = this.#db.businesses;
    await raw.updateOne({ _id: businessId }, { $set: { ...fields, spread: false } });
    const result = await make();
    await this.spread(businessId);
    this.forget(businessId);
    return result;
  }

  /** Copies a business to each of its keys, with a new revision. */
  async spread(businessId: string): Promise<void> {
    const { businesses, keys } = this.#db;
    const doc = await businesses.raw.findOneAndUpdate(
      { _id: businessId },
      { $inc: { revision: 1 } },
      { returnDocument: "after" },
    );
    if (!doc) return;
    const { revision } = doc;
    await keys.raw.updateMany(
      { businessId, "business.revision": { $lt: revision } },
      { $set: { business: copyOf(doc) } },
    );
    await businesses.raw.updateOne({ _id: businessId, revision }, { $set: { spread: true } });
  }
}

function byId<Thing extends { readonly id: string }>(things: readonly Thing[]) {
  return new Map(things.map((thing) => [thing.id, thing]));
}

/** A map keeps its insertion order. */
function dropOldest(remembered: Map<string, unknown>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
}
