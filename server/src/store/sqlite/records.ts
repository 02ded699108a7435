import type { AppointmentStatus, EntryStatus, Scope } from "@queue-api/contract";
import type {
  AccountRole,
  ApiKey,
  Appointment,
  AuditRow,
  Business,
  Entry,
  KeyInUse,
  KeyPurpose,
  Owner,
  Queue,
  Service,
} from "../../rules/records.js";

/*
 * How records are stored in their tables: for each kind the columns to select, in order, and the conversion
 * of a row to a record. Booleans are stored as 0 and 1, lists as JSON.
 */

export const businessColumns = (b: string) =>
  `${b}.id, ${b}.slug, ${b}.name, ${b}.category, ${b}.timezone, ${b}.api_access,
   ${b}.daily_token_limit, ${b}.sandbox, ${b}.long_wait_minutes, ${b}.display_hash`;

export type BusinessRow = [
  id: string,
  slug: string,
  name: string,
  category: string | null,
  timezone: string | null,
  apiAccess: number,
  dailyTokenLimit: number | null,
  sandbox: number,
  longWaitMinutes: number | null,
  displayHash: string | null,
];

export function readBusiness(row: BusinessRow): Business {
  const [id, slug, name, category, timezone, apiAccess, dailyTokenLimit, sandbox] = row;
  const [longWaitMinutes, displayHash] = [row[8], row[9]];
  const flags = { apiAccess: apiAccess === 1, sandbox: sandbox === 1 };
  const desk = { longWaitMinutes, displayHash };
  return { id, slug, name, category, timezone, dailyTokenLimit, ...flags, ...desk };
}

export const keyColumns = (k: string) =>
  `${k}.id, ${k}.business_id, ${k}.name, ${k}.secret_hash, json(${k}.scopes), json(${k}.allow_ips),
   ${k}.requests_per_minute, ${k}.writes_per_minute, ${k}.created_at, ${k}.expires_at, ${k}.revoked_at,
   ${k}.purpose`;

export type KeyRow = [
  id: string,
  businessId: string,
  name: string,
  secretHash: string,
  scopes: Scope[],
  allowIps: string[],
  requestsPerMinute: number,
  writesPerMinute: number,
  createdAt: number,
  expiresAt: number | null,
  revokedAt: number | null,
  purpose: KeyPurpose,
];

export function readKey(row: KeyRow): ApiKey {
  const [id, businessId, name, secretHash, scopes, allowIps, requestsPerMinute, ...rest] = row;
  const [writesPerMinute, createdAt, expiresAt, revokedAt, purpose] = rest;
  return {
    id,
    businessId,
    name,
    purpose,
    secretHash,
    scopes,
    allowIps,
    requestsPerMinute,
    writesPerMinute,
    createdAt,
    expiresAt,
    revokedAt,
  };
}

export const keyInUseColumns = (k: string) =>
  `json_array(${keyColumns(k)}),
   ifnull((SELECT w.requests_started_at FROM key_windows w WHERE w.key_id = ${k}.id), ${k}.last_used_at)`;

export type KeyInUseRow = [key: KeyRow, lastUsedAt: number | null];

export function readKeyInUse([key, lastUsedAt]: KeyInUseRow): KeyInUse {
  return { ...readKey(key), lastUsedAt };
}

export const ownerColumns = (o: string) =>
  `${o}.id, ${o}.business_id, ${o}.email, ${o}.password_hash, ${o}.created_at, ${o}.role`;

export type OwnerRow = [
  id: string,
  businessId: string,
  email: string,
  passwordHash: string | null,
  createdAt: number,
  role: AccountRole,
];

export function readOwner(row: OwnerRow): Owner {
  const [id, businessId, email, passwordHash, createdAt, role] = row;
  return { id, businessId, email, passwordHash, createdAt, role };
}

export const queueColumns = (q: string) =>
  `${q}.id, ${q}.business_id, ${q}.name, ${q}.token_series, ${q}.is_active, ${q}.is_token_creation_paused`;

export type QueueRow = [
  id: string,
  businessId: string,
  name: string,
  tokenSeries: string,
  isActive: number,
  isTokenCreationPaused: number,
];

export function readQueue(row: QueueRow): Queue {
  const [id, businessId, name, tokenSeries, isActive, isTokenCreationPaused] = row;
  return {
    id,
    businessId,
    name,
    tokenSeries,
    isActive: isActive === 1,
    isTokenCreationPaused: isTokenCreationPaused === 1,
  };
}

export const serviceColumns = (s: string) =>
  `${s}.id, ${s}.business_id, ${s}.name, ${s}.price, ${s}.base_time_minutes, ${s}.active`;

export type ServiceRow = [
  id: string,
  businessId: string,
  name: string,
  price: number | null,
  baseTimeMinutes: number | null,
  active: number,
];

export function readService(row: ServiceRow): Service {
  const [id, businessId, name, price, baseTimeMinutes, active] = row;
  return { id, businessId, name, price, baseTimeMinutes, active: active === 1 };
}

const entryFields = [
  ...["id", "token_series", "token_number", "status", "priority", "service_id", "work_minutes"],
  ...["customer_name", "customer_phone", "issued_at", "started_at", "completed_at", "canceled_at"],
  ...["revision", "calls", "counter", "transferred_to", "transferred_from"],
];

export const entryColumns = (e: string) => entryFields.map((field) => `${e}.${field}`).join(", ");

/**
 * Inserts an entry. The parameters are those of `line`, an expression for the id of its line, then an
 * {@link EntryRow}, then the id of its claim.
 */
export const insertEntryInto = (line: string) => `
  INSERT INTO entries (line_id, ${entryFields.join(", ")}, claim_id)
  VALUES (${line}, ${entryFields.map(() => "?").join(", ")}, ?)`;

export type EntryRow = [
  id: string,
  tokenSeries: string,
  tokenNumber: number,
  status: EntryStatus,
  priority: number,
  serviceId: string | null,
  workMinutes: number | null,
  customerName: string | null,
  customerPhone: string | null,
  issuedAt: number,
  startedAt: number | null,
  completedAt: number | null,
  canceledAt: number | null,
  revision: number,
  calls: number,
  counter: string | null,
  transferredTo: string | null,
  transferredFrom: string | null,
];

/** The line of an entry. The row of an entry has only the line's id. */
export type EntryPlace = [businessId: string, queueId: string, date: string];

export const placeColumns = (l: string) => `${l}.business_id, ${l}.queue_id, ${l}.date`;

export function readEntry(row: EntryRow, [businessId, queueId, date]: EntryPlace): Entry {
  const [id, tokenSeries, tokenNumber, status, priority, serviceId, workMinutes, ...rest] = row;
  const [customerName, customerPhone, issuedAt, ...changed] = rest;
  const [startedAt, completedAt, canceledAt, revision, calls, counter, ...links] = changed;
  const [transferredTo, transferredFrom] = links;
  return {
    id,
    businessId,
    queueId,
    date,
    tokenSeries,
    tokenNumber,
    status,
    priority: priority === 1,
    serviceId,
    workMinutes,
    customerName,
    customerPhone,
    issuedAt,
    startedAt,
    completedAt,
    canceledAt,
    revision,
    calls,
    counter,
    transferredTo,
    transferredFrom,
  };
}

/** The row that {@link readEntry} reads. */
export function entryRow(entry: Entry): EntryRow {
  return [
    entry.id,
    entry.tokenSeries,
    entry.tokenNumber,
    entry.status,
    Number(entry.priority),
    entry.serviceId,
    entry.workMinutes,
    entry.customerName,
    entry.customerPhone,
    entry.issuedAt,
    entry.startedAt,
    entry.completedAt,
    entry.canceledAt,
    entry.revision,
    entry.calls,
    entry.counter,
    entry.transferredTo,
    entry.transferredFrom,
  ];
}

export const appointmentColumns = (a: string) =>
  `${a}.id, ${a}.business_id, ${a}.date, ${a}.slot_time, ${a}.duration_minutes, ${a}.status,
   ${a}.service_id, ${a}.customer_name, ${a}.customer_phone, ${a}.notes,
   ${a}.entry_id`;

export type AppointmentRow = [
  id: string,
  businessId: string,
  date: string,
  slotTime: string,
  durationMinutes: number,
  status: AppointmentStatus,
  serviceId: string | null,
  customerName: string | null,
  customerPhone: string | null,
  notes: string | null,
  entryId: string | null,
];

export function readAppointment(row: AppointmentRow): Appointment {
  const [id, businessId, date, slotTime, durationMinutes, status, serviceId, ...rest] = row;
  const [customerName, customerPhone, notes, entryId] = rest;
  return {
    id,
    businessId,
    date,
    slotTime,
    durationMinutes,
    status,
    serviceId,
    customerName,
    customerPhone,
    notes,
    entryId,
  };
}

export const auditColumns = (r: string) =>
  `${r}.business_id, ${r}.key_id, ${r}.at, ${r}.method, ${r}.path, ${r}.status, ${r}.ip, ${r}.request_id, ${r}.count, ${r}.last_at, ${r}.account`;

export type AuditColumns = [
  businessId: string,
  keyId: string,
  at: number,
  method: string,
  path: string,
  status: number,
  ip: string,
  requestId: string,
  count: number | null,
  lastAt: number | null,
  account: string | null,
];

export function readAuditRow(row: AuditColumns): AuditRow {
  const [businessId, keyId, at, method, path, status, ip, requestId, ...rest] = row;
  const [count, lastAt, account] = rest;
  const sum = count === null || lastAt === null ? null : { count, lastAt };
  return { businessId, keyId, account, at, method, path, status, ip, requestId, sum };
}

export function writeAuditRow(row: AuditRow): AuditColumns {
  const { businessId, keyId, account, at, method, path, status, ip, requestId, sum } = row;
  const { count = null, lastAt = null } = sum ?? {};
  return [businessId, keyId, at, method, path, status, ip, requestId, count, lastAt, account];
}
