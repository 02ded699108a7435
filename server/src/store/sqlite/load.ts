import type { Load } from "../kept.js";
import type { Connection } from "./connection.js";
import { entryRow, insertEntryInto, writeAuditRow } from "./records.js";

/** Writes records of a copy. Records from an earlier attempt are replaced. */
export function prepareLoad(db: Connection): Load {
  const putBusiness = db.command(`
    INSERT OR REPLACE INTO businesses
      (position, id, slug, name, category, timezone, api_access, daily_token_limit, sandbox,
       long_wait_minutes, display_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const putService = db.command(`
    INSERT OR REPLACE INTO services
      (position, id, business_id, name, price, base_time_minutes, active)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const putQueue = db.command(`
    INSERT OR REPLACE INTO queues
      (position, id, business_id, name, token_series, is_active, is_token_creation_paused)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const putKey = db.command(`
    INSERT OR REPLACE INTO api_keys (id, business_id, name, secret_hash, scopes, allow_ips,
      requests_per_minute, writes_per_minute, created_at, expires_at, revoked_at,
      last_used_at, purpose)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const putOwner = db.command(`
    INSERT OR REPLACE INTO owners
      (id, business_id, email, password_hash, created_at, link_hash, link_expires_at, role)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const openLine = db.command(`
    INSERT INTO lines (business_id, queue_id, date) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`);
  // Deleted first, because REPLACE does not fire the triggers that count.
  const removeEntry = db.command("DELETE FROM entries WHERE id = ?");
  const putEntry = db.command(
    insertEntryInto("(SELECT id FROM lines WHERE queue_id = ? AND date = ?)"),
  );
  const putAppointment = db.command(`
    INSERT OR REPLACE INTO appointments (id, business_id, date, slot_time, duration_minutes, status,
      service_id, customer_name, customer_phone, notes, entry_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const putIdempotency = db.command(`
    INSERT OR REPLACE INTO idempotency (business_id, key, fingerprint, claim_id, owner, lease_until,
      receipt, kept_until)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const putAudit = db.command(`
    INSERT OR REPLACE INTO audit
      (position, business_id, key_id, at, method, path, status, ip, request_id, count, last_at,
       account)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  return {
    businesses(records, offset) {
      for (const [at, business] of records.entries()) {
        const { id, slug, name, category, timezone, apiAccess, dailyTokenLimit } = business;
        const { sandbox, longWaitMinutes, displayHash } = business;
        const settings = [Number(apiAccess), dailyTokenLimit, Number(sandbox)] as const;
        const desk = [longWaitMinutes, displayHash] as const;
        putBusiness(offset + at + 1, id, slug, name, category, timezone, ...settings, ...desk);
      }
    },

    services(records, offset) {
      for (const [at, service] of records.entries()) {
        const { id, businessId, name, price, baseTimeMinutes, active } = service;
        putService(offset + at + 1, id, businessId, name, price, baseTimeMinutes, Number(active));
      }
    },

    queues(records, offset) {
      for (const [at, queue] of records.entries()) {
        const { id, businessId, name, tokenSeries, isActive, isTokenCreationPaused } = queue;
        const flags = [Number(isActive), Number(isTokenCreationPaused)] as const;
        putQueue(offset + at + 1, id, businessId, name, tokenSeries, ...flags);
      }
    },

    keys(records) {
      for (const key of records) {
        putKey(
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
          key.lastUsedAt,
          key.purpose,
        );
      }
    },

    owners(records) {
      for (const { id, businessId, email, passwordHash, createdAt, role, link } of records) {
        const { tokenHash = null, expiresAt = null } = link ?? {};
        putOwner(id, businessId, email, passwordHash, createdAt, tokenHash, expiresAt, role);
      }
    },

    entries(records) {
      for (const entry of records) {
        openLine(entry.businessId, entry.queueId, entry.date);
        removeEntry(entry.id);
        putEntry(entry.queueId, entry.date, ...entryRow(entry), entry.claimId);
      }
    },

    appointments(records) {
      for (const appointment of records) {
        putAppointment(
          appointment.id,
          appointment.businessId,
          appointment.date,
          appointment.slotTime,
          appointment.durationMinutes,
          appointment.status,
          appointment.serviceId,
          appointment.customerName,
          appointment.customerPhone,
          appointment.notes,
          appointment.entryId,
        );
      }
    },

    idempotency(records) {
      for (const record of records) {
        const { businessId, key, fingerprint, claimId, owner, leaseUntil } = record;
        const who = [businessId, key, fingerprint, claimId, owner, leaseUntil] as const;
        putIdempotency(...who, record.receipt, record.keptUntil);
      }
    },

    audit(records, offset) {
      for (const [at, row] of records.entries()) putAudit(offset + at + 1, ...writeAuditRow(row));
    },
  };
}
