import type { Business, Queue, Service } from "../../rules/records.js";
import type { QueueChange, ServiceChange } from "../store.js";
import { changeOne } from "./change-one.js";
import { Coalescer, onceForAll } from "./coalescer.js";
import { type BusinessDoc, copyOf, readBusiness } from "./collections/businesses.js";
import { readQueue, writeQueue } from "./collections/queues.js";
import { readService, writeService } from "./collections/services.js";
import type { Collection, Database, Filter } from "./connection.js";

/** What a business offers, as of one revision of it. */
export interface Offer {
  readonly revision: number;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly services: ReadonlyMap<string, Service>;
}

/** How many businesses' offers one process remembers. */
const mostRemembered = 10_000;

/**
 * What changes seldom: businesses, their services and queues. Each change of them is a new revision of
 * the business, which its keys carry a copy of. So admission tells, without a command of its own,
 * whether what this process remembers of a business is what the database holds.
 */
export class Catalogue {
  readonly #db: Database;
  readonly #revisions = new Map<string, number>();
  readonly #offers = new Map<string, Offer>();
  readonly #reads = new Coalescer<() => Promise<Offer>, Offer>(onceForAll);

  constructor(db: Database) {
    this.#db = db;
  }

  /** Takes note of the revision that the admission of a key or of an owner met. */
  observe(businessId: string, revision: number): void {
    if (revision === this.#revisions.get(businessId)) return;
    this.#revisions.delete(businessId);
    this.#revisions.set(businessId, revision);
    dropOldest(this.#revisions);
  }

  /** The queues and services of a business, no older than its last admission in this process. */
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

  /** Makes the next look at a business go to the database. */
  forget(businessId: string): void {
    this.#revisions.delete(businessId);
    this.#offers.delete(businessId);
  }

  /** Makes every next look go to the database. */
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

  async businesses(): Promise<Business[]> {
    const docs = await this.#db.businesses.model
      .find({ slug: { $exists: true } })
      .sort({ addedAt: 1, place: 1 })
      .lean();
    return docs.map(readBusiness);
  }

  async businessBySlug(slug: string): Promise<Business | null> {
    const doc = await this.#db.businesses.model.findOne({ slug }).lean();
    return doc && readBusiness(doc);
  }

  async businessIdOf(
    kind: "key" | "queue" | "entry" | "appointment",
    id: string,
  ): Promise<string | null> {
    const { keys, queues, entries, appointments } = this.#db;
    const raw = { key: keys, queue: queues, entry: entries, appointment: appointments }[kind].raw;
    const doc = await (raw as typeof keys.raw).findOne(
      { _id: id },
      { projection: { businessId: 1 } },
    );
    return doc?.businessId ?? null;
  }

  async setBusiness(
    businessId: string,
    change: Partial<Pick<Business, "apiAccess" | "dailyTokenLimit" | "sandbox">>,
  ): Promise<void> {
    await this.#change(businessId, change, async () => {});
  }

  async addQueue(queue: Queue): Promise<void> {
    const { queues } = this.#db;
    await this.#change(queue.businessId, {}, async () => {
      await queues.raw.insertOne(writeQueue(queue, await nextPlace(queues, queue.businessId)));
    });
  }

  async changeQueue(
    businessId: string,
    queueId: string,
    change: QueueChange,
  ): Promise<Queue | null> {
    return this.#change(businessId, {}, async () => {
      const doc = await changeOne(this.#db.queues.raw, businessId, queueId, change);
      return doc && readQueue(doc);
    });
  }

  async addService(service: Service): Promise<void> {
    const { services } = this.#db;
    const { businessId } = service;
    await this.#change(businessId, {}, async () => {
      await services.raw.insertOne(writeService(service, await nextPlace(services, businessId)));
    });
  }

  async changeService(
    businessId: string,
    serviceId: string,
    change: ServiceChange,
  ): Promise<Service | null> {
    return this.#change(businessId, {}, async () => {
      const doc = await changeOne(this.#db.services.raw, businessId, serviceId, change);
      return doc && readService(doc);
    });
  }

  /**
   * A change marks the business before it is made, and the mark goes when every key knows the new
   * revision. What a crash leaves marked is spread by the next `prune`.
   */
  async #change<Result>(
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

  /** Gives every key of a business a copy of it, of a new revision. */
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

/** The place in the list of what is added next. */
async function nextPlace<Doc extends { readonly businessId: string; readonly place: number }>(
  { raw }: Pick<Collection<Doc>, "raw">,
  businessId: string,
): Promise<number> {
  const own = { businessId } as Filter<Doc>;
  const [last] = await raw.find(own).sort({ place: -1 }).limit(1).toArray();
  return (last?.place ?? -1) + 1;
}

function byId<Thing extends { readonly id: string }>(things: readonly Thing[]) {
  return new Map(things.map((thing) => [thing.id, thing]));
}

/** Maps keep the order in which things were put in. */
function dropOldest(remembered: Map<string, unknown>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
}
