import type {
  ApiKey,
  Appointment,
  AuditRow,
  Business,
  Entry,
  EntryKey,
  Owner,
  OwnerSession,
  Queue,
  Service,
} from "../../rules/records.js";
import type { Window } from "../../rules/window.js";
import { type Columns, flag, integer, json, optional, Table, text } from "./table.js";

/*
 * The schema. Each table is described once. A new field of a record is one line here. Once a version of the
 * service is released, the field also needs a migration; see `migrate.ts`.
 */

export const businesses = new Table<Business>("businesses", {
  id: text,
  slug: text,
  name: text,
  category: optional(text),
  timezone: optional(text),
  apiAccess: flag,
  dailyTokenLimit: optional(integer),
  sandbox: flag,
  longWaitMinutes: optional(integer),
  displayHash: optional(text),
  displayQuery: text,
});

/** A key with its windows. */
export interface ChargedKey extends ApiKey {
  readonly requests: Window | null;
  readonly writes: Window | null;
}

export const keys = new Table<ChargedKey>("api_keys", {
  id: text,
  businessId: text,
  name: text,
  purpose: text,
  secretHash: text,
  scopes: json,
  allowIps: json,
  requestsPerMinute: integer,
  writesPerMinute: integer,
  createdAt: integer,
  expiresAt: optional(integer),
  revokedAt: optional(integer),
  requests: optional(json),
  writes: optional(json),
});

export const queueColumns: Columns<Queue> = {
  id: text,
  businessId: text,
  name: text,
  tokenSeries: text,
  isActive: flag,
  isTokenCreationPaused: flag,
};

/** `place` orders the queues of a business. */
export const queues = new Table<Queue & { readonly place: number }>("queues", {
  ...queueColumns,
  place: integer,
});

export const services = new Table<Service>("services", {
  id: text,
  businessId: text,
  name: text,
  price: optional(integer),
  baseTimeMinutes: optional(integer),
  active: flag,
});

export const owners = new Table<Owner>("owners", {
  id: text,
  businessId: text,
  email: text,
  passwordHash: optional(text),
  link: optional(json),
  role: text,
  createdAt: integer,
});

export const sessions = new Table<OwnerSession>("owner_sessions", {
  tokenHash: text,
  ownerId: text,
  businessId: text,
  createdAt: integer,
  expiresAt: integer,
});

export const entryColumns: Columns<Entry> = {
  id: text,
  businessId: text,
  queueId: text,
  date: text,
  tokenSeries: text,
  tokenNumber: integer,
  status: text,
  priority: flag,
  serviceId: optional(text),
  workMinutes: optional(integer),
  customerName: optional(text),
  customerPhone: optional(text),
  phoneIsInternational: flag,
  issuedAt: integer,
  startedAt: optional(integer),
  completedAt: optional(integer),
  canceledAt: optional(integer),
  revision: integer,
  calls: integer,
  calledAgainAt: optional(integer),
  counter: optional(text),
  placeInDay: integer,
  earlierPlaces: json,
};

const { id, queueId, date, tokenSeries, tokenNumber, status, priority } = entryColumns;
const { serviceId, workMinutes, placeInDay } = entryColumns;
const { customerName, customerPhone, issuedAt, startedAt, completedAt, canceledAt } = entryColumns;

/** The columns that the response body of an entry, and its place in the line, are made of. */
export const answeredColumns = {
  ...{ id, tokenSeries, tokenNumber, status, priority, serviceId, workMinutes },
  ...{ customerName, customerPhone, issuedAt, startedAt, completedAt, canceledAt },
} satisfies Partial<Columns<Entry>>;

/** The columns that statistics read. */
export const timesColumns = {
  ...{ queueId, serviceId, date, status, issuedAt, startedAt, completedAt, placeInDay },
} satisfies Partial<Columns<Entry>>;

/** The idempotency key of an entry, or nulls. */
export type KeptKey = { readonly [Field in keyof EntryKey]: EntryKey[Field] | null };

export const keptKeyColumns: Columns<KeptKey> = {
  key: optional(text),
  fingerprint: optional(text),
  receipt: optional(text),
  keptUntil: optional(integer),
};

export const noKey: KeptKey = { key: null, fingerprint: null, receipt: null, keptUntil: null };

/** Frees idempotency keys. */
export const freeKeys =
  "UPDATE entries SET key = NULL, fingerprint = NULL, receipt = NULL, kept_until = NULL";

export const entries = new Table<Entry & KeptKey>("entries", {
  ...entryColumns,
  ...keptKeyColumns,
});

export const appointments = new Table<Appointment>("appointments", {
  id: text,
  businessId: text,
  date: text,
  slotTime: text,
  durationMinutes: integer,
  status: text,
  serviceId: optional(text),
  customerName: optional(text),
  customerPhone: optional(text),
  phoneIsInternational: flag,
  notes: optional(text),
  entryId: optional(text),
});

/** An audit row with its position in the log of its business, and the name of a sum that can still change. */
export interface KeptAuditRow extends AuditRow {
  readonly position: number;
  readonly sumName: string | null;
}

export const audit = new Table<KeptAuditRow>("audit", {
  businessId: text,
  keyId: text,
  account: optional(text),
  at: integer,
  method: text,
  path: text,
  status: integer,
  ip: text,
  requestId: text,
  sum: optional(json),
  position: integer,
  sumName: optional(text),
});

export function auditRow({ position, sumName, ...row }: KeptAuditRow): AuditRow {
  return row;
}

/** A window of failed sign-ins, of a caller of the API or of an owner. */
export interface SignInWindow extends Window {
  readonly name: string;
  readonly endsAt: number;
}

export const windows = new Table<SignInWindow>("sign_in_windows", {
  name: text,
  startedAt: integer,
  count: integer,
  endsAt: integer,
});

/** An id of records that no business names, until they are removed. `since` is the time of the first part. */
export const unnamed = new Table<{ readonly businessId: string; readonly since: number }>(
  "unnamed",
  { businessId: text, since: integer },
);

/**
 * Priority comes first in the line, then the token number. A queue gives far fewer numbers on a day.
 */
export const priorityLead = 1_000_000;

/** Creates the newest version of the schema in an empty database. */
export const schema = `
  CREATE TABLE businesses (position INTEGER PRIMARY KEY, ${businesses.definition}) STRICT;
  CREATE UNIQUE INDEX businesses_by_id ON businesses (id);
  CREATE UNIQUE INDEX businesses_by_slug ON businesses (slug);
  CREATE UNIQUE INDEX businesses_by_display ON businesses (display_hash)
    WHERE display_hash IS NOT NULL;

  CREATE TABLE api_keys (${keys.definition}, PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_business ON api_keys (business_id, created_at, id);

  CREATE TABLE queues (${queues.definition}, PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
  CREATE INDEX queues_by_business ON queues (business_id, place, id);

  CREATE TABLE services (position INTEGER PRIMARY KEY, ${services.definition}) STRICT;
  CREATE UNIQUE INDEX services_by_id ON services (id);
  CREATE INDEX services_by_business ON services (business_id);

  CREATE TABLE owners (${owners.definition}, PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX owners_by_business_and_email ON owners (business_id, email);
  CREATE INDEX owners_by_business ON owners (business_id, created_at, id);
  CREATE INDEX owners_by_email ON owners (email, created_at, id);
  CREATE UNIQUE INDEX owners_by_link ON owners (link ->> 'tokenHash') WHERE link IS NOT NULL;
  CREATE INDEX owners_by_link_end ON owners (link ->> 'expiresAt') WHERE link IS NOT NULL;

  CREATE TABLE owner_sessions (position INTEGER PRIMARY KEY, ${sessions.definition}) STRICT;
  CREATE UNIQUE INDEX sessions_by_token ON owner_sessions (token_hash);
  CREATE INDEX sessions_by_owner ON owner_sessions (owner_id);
  CREATE INDEX sessions_by_end ON owner_sessions (expires_at);

  CREATE TABLE entries (
    position INTEGER PRIMARY KEY, ${entries.definition},
    line_order INTEGER NOT NULL AS (token_number - priority * ${priorityLead}) VIRTUAL
  ) STRICT;
  CREATE UNIQUE INDEX entries_by_id ON entries (id);
  CREATE UNIQUE INDEX entries_by_number ON entries (business_id, queue_id, date, token_number);
  CREATE UNIQUE INDEX entries_by_place ON entries (business_id, date, place_in_day);
  CREATE UNIQUE INDEX entries_by_key ON entries (business_id, key) WHERE key IS NOT NULL;
  CREATE INDEX entries_by_key_end ON entries (kept_until) WHERE kept_until IS NOT NULL;
  CREATE INDEX entries_waiting ON entries
    (business_id, queue_id, date, line_order, work_minutes, issued_at) WHERE status = 'WAITING';
  CREATE INDEX entries_by_status ON entries
    (business_id, queue_id, date, status, token_number, started_at, completed_at, revision);
  CREATE INDEX entries_moved ON entries (business_id, date, earlier_places) WHERE earlier_places <> '[]';

  CREATE TABLE appointments (${appointments.definition}, PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
  CREATE INDEX appointments_by_day ON appointments (business_id, date, slot_time, id);

  CREATE TABLE audit (${audit.definition}, PRIMARY KEY (business_id, position))
    STRICT, WITHOUT ROWID;
  CREATE INDEX audit_by_business_and_time ON audit (business_id, at, position);
  CREATE INDEX audit_by_time ON audit (at);
  CREATE UNIQUE INDEX audit_by_sum ON audit (sum_name) WHERE sum_name IS NOT NULL;

  CREATE TABLE sign_in_windows (${windows.definition}, PRIMARY KEY (name)) STRICT, WITHOUT ROWID;
  CREATE INDEX sign_in_windows_by_end ON sign_in_windows (ends_at);

  CREATE TABLE unnamed (${unnamed.definition}, PRIMARY KEY (business_id)) STRICT, WITHOUT ROWID;
  CREATE INDEX unnamed_by_time ON unnamed (since);

  CREATE TABLE copy_target (marked INTEGER PRIMARY KEY) STRICT;
`;

/**
 * Literal SQL that migrates a database from each released version of the schema to the next: the first item
 * from version 1 to 2. It never changes once it is released. A new database gets the newest schema directly.
 */
export const migrations: readonly string[] = [];
