import type { Service } from "../../rules/records.js";
import type { AddOutcome, RemoveOutcome } from "./queues.js";

/** The fields of a service that can change. Tokens that are already issued keep their work. */
type ServiceChange = Partial<Omit<Service, "id" | "businessId">>;

/** A business's services. */
export interface ServiceStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Service[]>;
  /** `exists` if the business has a service with that id. */
  add(businessId: string, service: Service): Promise<AddOutcome>;
  /** Null if the business has no such service. */
  change(businessId: string, serviceId: string, change: ServiceChange): Promise<Service | null>;
  /** Removes a service that no entry and no appointment has. */
  remove(businessId: string, serviceId: string): Promise<RemoveOutcome>;
}
