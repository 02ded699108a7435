import type { Queue, Service } from "../rules/records.js";
import { assertSeen } from "../rules/stale.js";
import { change, view } from "./operation.js";
import { isInUse } from "./uses.js";

/** Far above any real use. The board and each list show all queues, at a cost that others share. */
export const maxQueues = 100;

/** Far above any real use. Each form for a new person shows all services. */
export const maxServices = 300;

/**
 * The operations on the queues or the services of a business. They are lists in its record, so a change of one is a write
 * of the business. `most`: how many a business may have.
 */
export function itemOperations<Item extends Queue | Service>(
  kind: "queues" | "services",
  max: number,
) {
  return {
    /** In their order. */
    list: view(async (tx, businessId: string): Promise<readonly Item[]> => {
      const business = await tx.find("businesses", { id: businessId });
      return (business?.[kind] ?? []) as readonly unknown[] as readonly Item[];
    }),

    /** Adds one at the end. `exists` if the business has one with its id: the same form was sent twice. */
    add: change(
      async (tx, businessId: string, item: Item): Promise<"added" | "exists" | "too_many"> => {
        const business = await tx.find("businesses", { id: businessId });
        if (!business) throw new Error(`${kind} are added to a business that does not exist`);
        const items: readonly (Queue | Service)[] = business[kind];
        if (items.some(({ id }) => id === item.id)) return "exists";
        if (items.length >= max) return "too_many";
        tx.update("businesses", business, { [kind]: [...items, item] });
        return "added";
      },
    ),

    /**
     * Null if the business has none with this id. Tokens that are already issued keep their series and work. `seen`: the
     * revision that the change was decided on. Default: null, any. Throws `StaleError`.
     */
    change: change(
      async (
        tx,
        businessId: string,
        id: string,
        asked: Partial<Omit<Item, "id" | "businessId" | "revision">>,
        seen: number | null = null,
      ): Promise<Item | null> => {
        const business = await tx.find("businesses", { id: businessId });
        const items: readonly (Queue | Service)[] = business?.[kind] ?? [];
        const item = items.find((one) => one.id === id);
        if (!business || !item) return null;
        assertSeen(item, asked, seen);
        const changed = { ...item, ...asked, revision: item.revision + 1 };
        const all = items.map((one) => (one.id === id ? changed : one));
        tx.update("businesses", business, { [kind]: all });
        return changed as Queue | Service as Item;
      },
    ),

    /** Whether an entry or an appointment refers to it, or may soon, so that it cannot be removed. */
    isInUse: view(async (tx, businessId: string, id: string): Promise<boolean> => {
      const business = await tx.find("businesses", { id: businessId });
      return business !== null && isInUse(tx, business, id);
    }),

    /** `in_use`: an entry or an appointment refers to it, or may soon, so it stays. */
    remove: change(
      async (tx, businessId: string, id: string): Promise<"removed" | "in_use" | "not_found"> => {
        const business = await tx.find("businesses", { id: businessId });
        const items: readonly (Queue | Service)[] = business?.[kind] ?? [];
        if (!business || !items.some((one) => one.id === id)) return "not_found";
        if (await isInUse(tx, business, id)) return "in_use";
        tx.update("businesses", business, {
          [kind]: items.filter((one) => one.id !== id),
          used: business.used.filter((note) => note.id !== id),
        });
        return "removed";
      },
    ),
  };
}
