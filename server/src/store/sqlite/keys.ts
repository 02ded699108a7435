import { limits } from "@queue-api/contract";
import { isActive } from "../../rules/key.js";
import type { Clock } from "../../rules/ports.js";
import type { ApiKey } from "../../rules/records.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type KeyRow, keyColumns, readKey } from "./records.js";

/** A business's keys, as its owner handles them. */
export function prepareKeys(db: Connection, clock: Clock) {
  const keysOf = db.query<KeyRow[]>(
    list(keyColumns, "api_keys", "WHERE business_id = ? ORDER BY created_at, id LIMIT -1"),
  );
  const insert = db.command(`
    INSERT INTO api_keys (id, business_id, name, secret_hash, scopes, allow_ips,
      requests_per_minute, writes_per_minute, created_at, expires_at, revoked_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const revoke = db.command(`
    UPDATE api_keys SET revoked_at = ifnull(revoked_at, ?) WHERE id = ? AND business_id = ?`);

  const keys = (businessId: string): ApiKey[] => (keysOf(businessId) ?? []).map(readKey);

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
    );
  }

  return {
    keys,
    keep,

    add(businessId: string, key: ApiKey): "added" | "too_many_active" {
      const now = clock();
      const active = keys(businessId).filter((held) => isActive(held, now));
      if (active.length >= limits.activeKeys) return "too_many_active";
      keep(key);
      return "added";
    },

    revoke: (businessId: string, keyId: string, now: number): boolean =>
      revoke(now, keyId, businessId) > 0,
  };
}

export type Keys = ReturnType<typeof prepareKeys>;
