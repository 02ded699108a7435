import type { Service } from "../rules/records.js";
import {
  addItem,
  changeItem,
  isItemInUse,
  listItems,
  mostServices,
  removeItem,
} from "./business-items.js";
import { change, view } from "./operation.js";

/** A business's services. A change leaves tokens that are already issued their work. */
export const services = {
  /** In the order in which they were added. */
  list: view((tx, businessId: string) => listItems(tx, businessId, "services")),

  /** Adds a service. `exists` if the business has one with its id: the same form was sent twice. */
  add: change((tx, businessId: string, service: Service) =>
    addItem(tx, businessId, "services", service, mostServices),
  ),

  /**
   * Null if the business has no such service. `seen`: the revision that the change was decided on. Default: null, any.
   * Throws `StaleError`.
   */
  change: change(
    (
      tx,
      businessId: string,
      serviceId: string,
      asked: Partial<Omit<Service, "id" | "businessId" | "revision">>,
      seen: number | null = null,
    ) => changeItem(tx, businessId, "services", serviceId, asked, seen),
  ),

  /** Whether an entry or an appointment refers to it, or may soon, so that it cannot be removed. */
  isInUse: view((tx, businessId: string, serviceId: string) =>
    isItemInUse(tx, businessId, serviceId),
  ),

  /** `in_use`: an entry or an appointment refers to it, or may soon, so it stays. */
  remove: change((tx, businessId: string, serviceId: string) =>
    removeItem(tx, businessId, "services", serviceId),
  ),
};
