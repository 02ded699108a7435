import type { ApiKey, KeyInUse } from "../../rules/records.js";

export type AddKeyOutcome = "added" | "exists" | "too_many_active";

/** What of a key can be changed; what is absent stays as it is. */
export type KeyChange = Partial<
  Pick<ApiKey, "name" | "allowIps" | "requestsPerMinute" | "writesPerMinute">
>;

/** A business's API keys, as its owner manages them. */
export interface KeyStore {
  /** In the order in which they were made. */
  list(businessId: string): Promise<readonly KeyInUse[]>;
  /** Adds a key unless one has its id, or the business has its full number of active ones. */
  add(businessId: string, key: ApiKey): Promise<AddKeyOutcome>;
  /** From the next request on. False when the business has no such key. */
  change(businessId: string, keyId: string, change: KeyChange): Promise<boolean>;
  /** False when the business has no such key. Revoking twice keeps the first time. */
  revoke(businessId: string, keyId: string, now: number): Promise<boolean>;
}
