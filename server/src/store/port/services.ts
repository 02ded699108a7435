import type { Service } from "../../rules/records.js";

/** The fields of a service that can change. Tokens that are already issued keep their work. */
export type ServiceChange = Partial<Omit<Service, "id" | "businessId">>;

/** A business's services. */
export interface ServiceStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Service[]>;
  add(businessId: string, service: Service): Promise<void>;
  /** Null if the business has no such service. */
  change(businessId: string, serviceId: string, change: ServiceChange): Promise<Service | null>;
}
