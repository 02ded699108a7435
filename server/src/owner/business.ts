import { isActive } from "../rules/key.js";
import type { ApiKey, Business, Queue, Service } from "../rules/records.js";
import type { OwnedKind } from "../store/port/business.js";
import type { Store } from "../store/store.js";
import { OwnerError } from "./owner-error.js";

/** A business with its services, queues and active keys. */
export interface BusinessOverview {
  readonly business: Business;
  /** The active services. */
  readonly services: readonly Service[];
  readonly queues: readonly Queue[];
  /** Neither revoked nor expired. */
  readonly activeKeys: readonly ApiKey[];
}

/** The changes to a business. An absent field stays as it is. */
export interface BusinessChange {
  /** Whether the API may be used at all. */
  readonly apiAccess?: boolean;
  /** Tokens that may be created on one business day; null for no limit. */
  readonly dailyTokenLimit?: number | null;
  /** Whether it has no real customers, so that a simulation may serve its entries. */
  readonly sandbox?: boolean;
}

/** The business with a slug. Throws {@link OwnerError} if it does not exist. */
export async function findBusiness(store: Store, slug: string): Promise<Business> {
  const business = await store.businesses.bySlug(slug);
  if (!business) throw new OwnerError({ code: "business_not_found" });
  return business;
}

/** The business that a queue, entry, key or appointment belongs to. Throws {@link OwnerError}. */
export async function businessOf(store: Store, kind: OwnedKind, id: string): Promise<Business> {
  const businessId = await store.businesses.idOf(kind, id);
  const business = businessId === null ? null : await store.businesses.get(businessId);
  if (!business) throw noSuch(kind);
  return business;
}

/** The error for an id that does not exist. */
export function noSuch(kind: OwnedKind): OwnerError {
  return new OwnerError({ code: `${kind}_not_found` });
}

/** A business with its services, queues and active keys. Throws {@link OwnerError}. */
export async function showBusiness(
  store: Store,
  slug: string,
  now: number,
): Promise<BusinessOverview> {
  const business = await findBusiness(store, slug);
  const [services, queues, keys] = await Promise.all([
    store.services.list(business.id),
    store.queues.list(business.id),
    store.keys.list(business.id),
  ]);
  return { business, services, queues, activeKeys: keys.filter((key) => isActive(key, now)) };
}

/** Changes a business, from its next request on. Throws {@link OwnerError}. */
export async function setBusiness(
  store: Store,
  slug: string,
  change: BusinessChange,
): Promise<Business> {
  const { id } = await findBusiness(store, slug);
  const { apiAccess, dailyTokenLimit, sandbox } = change;
  const after = await store.businesses.change(id, {
    ...(apiAccess !== undefined && { apiAccess }),
    ...(dailyTokenLimit !== undefined && { dailyTokenLimit }),
    ...(sandbox !== undefined && { sandbox }),
  });
  return after ?? findBusiness(store, slug);
}
