import { forgottenKeys, isBelowKeyLimit, type KeyChange, revokedOnce } from "../rules/key.js";
import { byCreation } from "../rules/order.js";
import type { ApiKey, KeyWithLastUse } from "../rules/records.js";
import { assertSeen } from "../rules/stale.js";
import type { ViewTx } from "../store/port.js";
import { change, view } from "./operation.js";
import { keyWindowsId } from "./windows.js";

export type AddKeyOutcome = "added" | "exists" | "too_many_active";

/** A business's API keys, as its owner manages them. */
export const keys = {
  /** In the order in which they were created. */
  list: view(async (tx, businessId: string): Promise<readonly KeyWithLastUse[]> => {
    const business = await tx.find("businesses", { id: businessId });
    return business ? withLastUse(tx, business.keys) : [];
  }),

  /** Adds a key unless the business has one with its id, or the maximum number of active keys. */
  add: change(async (tx, businessId: string, key: ApiKey): Promise<AddKeyOutcome> => {
    const [business, holder] = await Promise.all([
      tx.find("businesses", { id: businessId }),
      tx.find("businesses", { "keys.id": key.id }),
    ]);
    if (!business) throw new Error("a key is added to a business that does not exist");
    // By the record that is written, too: the holder was perhaps read before another request added the key to it.
    if (holder || business.keys.some(({ id }) => id === key.id)) return "exists";
    if (!isBelowKeyLimit(business.keys, tx.now)) return "too_many_active";
    const forgotten = forgottenKeys(business.keys, tx.now);
    const kept = business.keys.filter(({ id }) => !forgotten.includes(id));
    tx.update("businesses", business, { keys: [...kept, key] });
    return "added";
  }),

  /**
   * Applies `revokedOnce` of the change, from the next request on. Null if the business has no such key. `seen`: the
   * revision that the change was decided on. Default: null, any. Throws `StaleError`.
   */
  change: change(
    async (
      tx,
      businessId: string,
      keyId: string,
      asked: KeyChange,
      seen: number | null = null,
    ): Promise<KeyWithLastUse | null> => {
      const business = await tx.find("businesses", { id: businessId });
      const key = business?.keys.find(({ id }) => id === keyId);
      if (!business || !key) return null;
      assertSeen(key, asked, seen);
      const changed = { ...key, ...revokedOnce(key, asked), revision: key.revision + 1 };
      const all = business.keys.map((one) => (one.id === keyId ? changed : one));
      tx.update("businesses", business, { keys: all });
      const [found] = await withLastUse(tx, [changed]);
      return found ?? null;
    },
  ),
};

/** Keys with the times of their last use, in the order in which they were created. */
export async function withLastUse(tx: ViewTx, found: readonly ApiKey[]): Promise<KeyWithLastUse[]> {
  const ids = found.map(({ id }) => keyWindowsId(id));
  const windows = await tx.list("windows", { where: { id: ids }, limit: ids.length });
  const used = new Map(windows.map(({ id, requests }) => [id, requests.startedAt]));
  return found
    .map((key) => ({ ...key, lastUsedAt: used.get(keyWindowsId(key.id)) ?? null }))
    .sort(byCreation);
}
