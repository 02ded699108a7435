import type { Service } from "../../rules/records.js";
import type { ServiceChange } from "../port/services.js";
import type { Catalogue } from "./catalogue.js";
import { changeOne } from "./change-one.js";
import { readService, writeService } from "./collections/services.js";
import type { Database } from "./connection.js";
import { nextPlace } from "./next-place.js";

/** Changes the services of a business. Each change is a new revision of the business. */
export class Services {
  readonly #db: Database;
  readonly #catalogue: Catalogue;

  constructor(db: Database, catalogue: Catalogue) {
    this.#db = db;
    this.#catalogue = catalogue;
  }

  async add(businessId: string, service: Service): Promise<void> {
    const { services } = this.#db;
    await this.#catalogue.change(businessId, {}, async () => {
      await services.raw.insertOne(writeService(service, await nextPlace(services, businessId)));
    });
  }

  async change(
    businessId: string,
    serviceId: string,
    change: ServiceChange,
  ): Promise<Service | null> {
    return this.#catalogue.change(businessId, {}, async () => {
      const doc = await changeOne(this.#db.services.raw, businessId, serviceId, change);
      return doc && readService(doc);
    });
  }
}
