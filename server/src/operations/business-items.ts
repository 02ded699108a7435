import type { Queue, Service } from "../rules/records.js";
import { assertSeen } from "../rules/stale.js";
import type { Reads, Tx, ViewTx } from "../store/port.js";
import { isInUse } from "./uses.js";

/*
 * The queues and services of a business. They are lists in its record, so a change of one is a write of the business.
 */

/** Far above any real use. The board and each list show all queues, at a cost that others share. */
export const mostQueues = 100;

/** Far above any real use. Each form for a new person shows all services. */
export const mostServices = 300;

interface Items {
  readonly queues: Queue;
  readonly services: Service;
}

export async function listItems<K extends keyof Items>(
  tx: Reads,
  businessId: string,
  kind: K,
): Promise<readonly Items[K][]> {
  const business = await tx.find("businesses", { id: businessId });
  return business ? (business[kind] as readonly unknown[] as readonly Items[K][]) : [];
}

export async function addItem<K extends keyof Items>(
  tx: Tx,
  businessId: string,
  kind: K,
  item: Items[K],
  most: number,
): Promise<"added" | "exists" | "too_many"> {
  const business = await tx.find("businesses", { id: businessId });
  if (!business) throw new Error(`${kind} are added to a business that does not exist`);
  const items: readonly { readonly id: string }[] = business[kind];
  if (items.some(({ id }) => id === item.id)) return "exists";
  if (items.length >= most) return "too_many";
  tx.update("businesses", business, { [kind]: [...items, item] });
  return "added";
}

export async function changeItem<K extends keyof Items>(
  tx: Tx,
  businessId: string,
  kind: K,
  id: string,
  asked: Partial<Omit<Items[K], "id" | "businessId" | "revision">>,
  seen: number | null,
): Promise<Items[K] | null> {
  const business = await tx.find("businesses", { id: businessId });
  const items = (business?.[kind] ?? []) as readonly (Queue | Service)[];
  const item = items.find((one) => one.id === id);
  if (!business || !item) return null;
  assertSeen(item, asked, seen);
  const changed = { ...item, ...asked, revision: item.revision + 1 };
  tx.update("businesses", business, {
    [kind]: items.map((one) => (one.id === id ? changed : one)),
  });
  return changed as Items[K];
}

/** False if the business has no such item. */
export async function isItemInUse(tx: ViewTx, businessId: string, id: string): Promise<boolean> {
  const business = await tx.find("businesses", { id: businessId });
  return business !== null && isInUse(tx, business, id);
}

export async function removeItem(
  tx: Tx,
  businessId: string,
  kind: keyof Items,
  id: string,
): Promise<"removed" | "in_use" | "not_found"> {
  const business = await tx.find("businesses", { id: businessId });
  const items: readonly { readonly id: string }[] = business?.[kind] ?? [];
  if (!business || !items.some((one) => one.id === id)) return "not_found";
  if (await isInUse(tx, business, id)) return "in_use";
  tx.update("businesses", business, {
    [kind]: items.filter((one) => one.id !== id),
    used: business.used.filter((note) => note.id !== id),
  });
  return "removed";
}
