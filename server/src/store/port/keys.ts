import type { ApiKey, KeyInUse } from "../../rules/records.js";

export type AddKeyOutcome = "added" | "exists" | "too_many_active";

/** The fields of a key that can change; an absent field stays unchanged. */
export type KeyChange = Partial<
  Pick<ApiKey, "name" | "allowIps" | "requestsPerMinute" | "writesPerMinute">
>;

/** A business's API keys, as its owner manages them. */
export interface KeyStore {
  /** In the order in which they were created. */
  list(businessId: string): Promise<readonly KeyInUse[]>;
  /** Adds a key unless its id exists or the business has the maximum number of active keys. */
  add(businessId: string, key: ApiKey): Promise<AddKeyOutcome>;
  /** Takes effect from the next request on. False if the business has no such key. */
  change(businessId: string, keyId: string, change: KeyChange): Promise<boolean>;
  /** False if the business has no such key. Revoking a key again keeps the first time. */
  revoke(businessId: string, keyId: string, now: number): Promise<boolean>;
}
