import type { OwnedKind } from "../operations/businesses.js";
import type { Store } from "../operations/store.js";
import type { Business } from "../rules/records.js";
import { OwnerError } from "./owner-error.js";

/** The changes to a business by an operator. An absent field stays as it is. */
export type BusinessChange = Partial<Pick<Business, "apiAccess" | "dailyTokenLimit" | "sandbox">>;

/** The business with a slug. Throws {@link OwnerError} if it does not exist. */
export async function findBusiness(store: Store, slug: string): Promise<Business> {
  const business = await store.businesses.find("slug", slug);
  if (!business) throw new OwnerError({ code: "business_not_found" });
  return business;
}

/** The business that a queue, entry, key or appointment belongs to. Throws {@link OwnerError}. */
export async function businessWith(store: Store, kind: OwnedKind, id: string): Promise<Business> {
  const business = await store.businesses.find(kind, id);
  if (!business) throw noSuch(kind);
  return business;
}

/** The error for an id that does not exist. */
export function noSuch(kind: OwnedKind): OwnerError {
  return new OwnerError({ code: `${kind}_not_found` });
}

/** Changes a business, from its next request on. Throws {@link OwnerError}. */
export async function setBusiness(
  store: Store,
  slug: string,
  change: BusinessChange,
): Promise<Business> {
  const { id } = await findBusiness(store, slug);
  return (await store.businesses.change(id, change)) ?? findBusiness(store, slug);
}
