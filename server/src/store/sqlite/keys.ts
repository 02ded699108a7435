import { isBelowKeyLimit } from "../../rules/key-limit.js";
import type { Clock } from "../../rules/ports.js";
import type { ApiKey, KeyInUse } from "../../rules/records.js";
import type { AddKeyOutcome, KeyChange } from "../port/keys.js";
import type { Connection } from "./connection.js";
import { list as listed } from "./list.js";
import { type KeyInUseRow, keyInUseColumns, readKeyInUse } from "./records.js";

/** The API keys of a business. */
export function prepareKeys(db: Connection, clock: Clock) {
  const keysOf = db.query<KeyInUseRow[]>(
    listed(keyInUseColumns, "api_keys", "WHERE business_id = ? ORDER BY created_at, id LIMIT -1"),
  );
  const find = db.query<[id: string]>("SELECT json_array(id) FROM api_keys WHERE id = ?");
  const insert = db.command(`
    INSERT INTO api_keys (id, business_id, name, secret_hash, scopes, allow_ips,
      requests_per_minute, writes_per_minute, created_at, expires_at, revoked_at, purpose)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const change = db.command(`
    UPDATE api_keys SET
      name = ifnull(?, name),
      allow_ips = ifnull(?, allow_ips),
      requests_per_minute = ifnull(?, requests_per_minute),
      writes_per_minute = ifnull(?, writes_per_minute)
    WHERE id = ? AND business_id = ?`);
  const revoke = db.command(`
    UPDATE api_keys SET revoked_at = ifnull(revoked_at, ?) WHERE id = ? AND business_id = ?`);

  const list = (businessId: string): KeyInUse[] => (keysOf(businessId) ?? []).map(readKeyInUse);

  function keep(key: ApiKey): void {
    insert(
      key.id,
      key.businessId,
      key.name,
      key.secretHash,
      JSON.stringify(key.scopes),
      JSON.stringify(key.allowIps),
      key.requestsPerMinute,
      key.writesPerMinute,
      key.createdAt,
      key.expiresAt,
      key.revokedAt,
      key.purpose,
    );
  }

  return {
    list,
    keep,

    add(businessId: string, key: ApiKey): AddKeyOutcome {
      if (find(key.id)) return "exists";
      if (!isBelowKeyLimit(list(businessId), clock())) return "too_many_active";
      keep(key);
      return "added";
    },

    change(
      businessId: string,
      keyId: string,
      { name, allowIps, requestsPerMinute, writesPerMinute }: KeyChange,
    ): boolean {
      const changed = change(
        name ?? null,
        allowIps ? JSON.stringify(allowIps) : null,
        requestsPerMinute ?? null,
        writesPerMinute ?? null,
        keyId,
        businessId,
      );
      return changed > 0;
    },

    revoke: (businessId: string, keyId: string, now: number): boolean =>
      revoke(now, keyId, businessId) > 0,
  };
}

export type Keys = ReturnType<typeof prepareKeys>;
