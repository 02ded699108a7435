import type { KeyInUse } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import { orNotFound } from "../errors.js";

/** A key of a business. @throws PageNotFound if the business has no key with that id. */
export async function ownKey(store: Store, businessId: string, keyId: string): Promise<KeyInUse> {
  return orNotFound((await store.keys.list(businessId)).find(({ id }) => id === keyId));
}
