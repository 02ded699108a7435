import { randomBytes } from "node:crypto";
import type { AuditRecord, EntryRecord, Tables } from "../../../server/src/store/tables.js";

/* Records for tests of the adapter. */

export const newId = () => randomBytes(12).toString("hex");

export const date = "2026-11-24";

export function business(changes: Partial<Tables["businesses"]> = {}): Tables["businesses"] {
  const id = changes.id ?? newId();
  return {
    ...{ id, slug: `clinic-${id}`, name: "Clinic", category: null, timezone: null },
    ...{ apiAccess: true, dailyTokenLimit: null, sandbox: false, longWaitMinutes: null },
    ...{ displayHash: null, displayQuery: "", revision: 0, added: id },
    ...{ services: [], accounts: [], used: [] },
    queues: [
      {
        ...{ id: `${id}q`, businessId: id, name: "Front", tokenSeries: "A", isActive: true },
        ...{ isTokenCreationPaused: false, revision: 0 },
      },
    ],
    keys: [
      {
        ...{ id: `${id}k`, businessId: id, name: "", purpose: "owner", secretHash: "hash" },
        ...{ scopes: ["queue:read"], allowIps: [], requestsPerMinute: 120, writesPerMinute: 30 },
        ...{ createdAt: 1, expiresAt: null, revokedAt: null, revision: 0 },
      },
    ],
    ...changes,
  };
}

export function entry(
  businessId: string,
  tokenNumber: number,
  changes: Partial<EntryRecord> = {},
): EntryRecord {
  const queueId = changes.queueId ?? "front";
  const token = (place: { queueId: string; tokenNumber: number }) =>
    `${place.queueId}:${`${place.tokenNumber}`.padStart(6, "0")}`;
  const earlierPlaces = changes.earlierPlaces ?? [];
  return {
    ...{ id: newId(), businessId, queueId, date, tokenSeries: "A", tokenNumber },
    ...{ status: "WAITING", priority: false, serviceId: null, workMinutes: 5 },
    ...{ customerName: "Someone", customerPhone: null, phoneIsInternational: false },
    ...{ issuedAt: 1_000 + tokenNumber, startedAt: null, completedAt: null, canceledAt: null },
    ...{ revision: 0, calls: 0, calledAgainAt: null, counter: null, placeInDay: tokenNumber },
    ...{ earlierPlaces, appointmentId: null, uses: [queueId], keyed: null },
    changedAt: 1_000 + tokenNumber,
    ...changes,
    tokens: [token({ queueId, tokenNumber }), ...earlierPlaces.map(token)],
  };
}

export function appointment(businessId: string): Tables["appointments"] {
  return {
    ...{ id: newId(), businessId, date, slotTime: "10:00", durationMinutes: 15 },
    ...{ status: "CONFIRMED", serviceId: null, customerName: null, customerPhone: null },
    ...{ phoneIsInternational: false, notes: "", revision: 0, isRemoved: false },
  };
}

export function auditRow(businessId: string, at: number, changes: Partial<AuditRecord> = {}) {
  const row: AuditRecord = {
    ...{ id: newId(), businessId, keyId: "key", account: null, at, method: "POST", path: "/" },
    ...{ status: 201, ip: "10.0.0.1", requestId: newId(), sum: null, sumName: null },
    ...changes,
  };
  return row;
}
