import type { ServiceStore } from "../port/services.js";
import { changeOne, ownedBy, type Tables } from "./tables.js";

export function memoryServices({ services }: Tables): ServiceStore {
  return {
    list: async (businessId) => ownedBy(businessId, services),

    async add(_businessId, service) {
      services.set(service.id, service);
    },

    change: async (businessId, serviceId, change) =>
      changeOne(services, businessId, serviceId, change),
  };
}
