import type { Service } from "../../rules/records.js";

/** What of a service can be changed. A token keeps the work it was issued with. */
export type ServiceChange = Partial<Omit<Service, "id" | "businessId">>;

/** A business's services. */
export interface ServiceStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Service[]>;
  add(businessId: string, service: Service): Promise<void>;
  /** Null when the business has no such service. */
  change(businessId: string, serviceId: string, change: ServiceChange): Promise<Service | null>;
}
