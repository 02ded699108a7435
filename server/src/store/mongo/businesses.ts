import type { Business } from "../../rules/records.js";
import type { BusinessChange, OwnedKind } from "../port/businesses.js";
import type { Catalogue } from "./catalogue.js";
import { readBusiness } from "./collections/businesses.js";
import type { Database } from "./connection.js";

/** Only a business whose import has finished has a slug. */
const imported = { slug: { $exists: true } };

/** Businesses and their settings. */
export class Businesses {
  readonly #db: Database;
  readonly #catalogue: Catalogue;

  constructor(db: Database, catalogue: Catalogue) {
    this.#db = db;
    this.#catalogue = catalogue;
  }

  async list(): Promise<Business[]> {
    const docs = await this.#db.businesses.model
      .find(imported)
      .sort({ addedAt: 1, place: 1 })
      .lean();
    return docs.map(readBusiness);
  }

  async get(businessId: string): Promise<Business | null> {
    const doc = await this.#db.businesses.model.findOne({ _id: businessId, ...imported }).lean();
    return doc && readBusiness(doc);
  }

  async bySlug(slug: string): Promise<Business | null> {
    const doc = await this.#db.businesses.model.findOne({ slug }).lean();
    return doc && readBusiness(doc);
  }

  async byDisplay(displayHash: string): Promise<Business | null> {
    const doc = await this.#db.businesses.model.findOne({ displayHash, ...imported }).lean();
    return doc && readBusiness(doc);
  }

  async idOf(kind: OwnedKind, id: string): Promise<string | null> {
    const { keys, queues, entries, appointments } = this.#db;
    const raw = { key: keys, queue: queues, entry: entries, appointment: appointments }[kind].raw;
    const doc = await (raw as typeof keys.raw).findOne(
      { _id: id },
      { projection: { businessId: 1 } },
    );
    return doc?.businessId ?? null;
  }

  async change(businessId: string, change: BusinessChange): Promise<Business | null> {
    await this.#catalogue.change(businessId, change, async () => {});
    return this.get(businessId);
  }
}
