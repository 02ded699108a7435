import {
  type Fields,
  flag,
  list,
  listOf,
  number,
  object,
  orNull,
  type RecordOf,
  split,
  text,
} from "../rules/fields.js";
import {
  account,
  apiKey,
  appointment,
  auditRow,
  business,
  entry,
  entryKey,
  queue,
  service,
} from "../rules/records.js";
import { window } from "../rules/window.js";

/*
 * The tables of the database, and the indexes that every adapter keeps. A record holds everything that one operation
 * may have to change at once, because an operation writes one record.
 */

/** The fields of the records of each table. */
export const tableFields = {
  /** A business with everything of it that is small. */
  businesses: {
    ...business,
    /** Orders businesses by when they were added. */
    added: text,
    queues: list(queue),
    services: list(service),
    keys: list(apiKey),
    accounts: list(account),
    /** When a queue or a service was last noted as in use; see `operations/uses.ts`. */
    used: list({ id: text, at: number }),
  },
  /** An entry with the idempotency key that it holds. */
  entries: {
    ...entry,
    /** The queue and number of its token and of its earlier tokens; see `rules/token.ts`. Unique on a day. */
    tokens: listOf(text),
    /** The ids of its queue, of its earlier queues and of its service. */
    uses: listOf(text),
    /** When it was last changed. Of two changes on one day, the later one has the higher time. */
    changedAt: number,
    keyed: orNull(split(entryKey)),
  },
  /** An appointment. It stays when it is removed, because it holds the audit rows of its changes. */
  appointments: {
    ...appointment,
    isRemoved: flag,
    /** When a check-in last noted that it is in use; null if none did. See `operations/uses.ts`. */
    checkInAt: orNull(number),
  },
  /** The sessions of an account. */
  sessions: {
    /** Id of the account. */
    id: text,
    businessId: text,
    /** In the order in which they began. */
    sessions: list({ tokenHash: text, createdAt: number, expiresAt: number, generation: number }),
    /** When the last of them expires. */
    endsAt: number,
  },
  /** The windows of a key, or the window of failed sign-ins of a subject. */
  windows: {
    /** Of which kind they are, and whose. */
    id: text,
    requests: object(window),
    /** The POST requests of a key; null if there was none. */
    writes: orNull(object(window)),
    endsAt: number,
  },
  /** The audit log. */
  audit: {
    ...auditRow,
    /** Orders rows of the same time by when they were stored. */
    id: text,
    /** The name of a sum that can still grow; null for any other row. */
    sumName: orNull(text),
  },
  /**
   * The ids of businesses whose records no business holds: an import in progress, or a business that was replaced. If
   * that stays so for an hour, the housekeeper removes the records. The id `copy` marks the database as the target of a
   * copy.
   */
  imports: {
    /** Id of the business. */
    id: text,
    /** When the last batch was added, or the business was replaced. */
    at: number,
  },
} satisfies Record<string, Fields>;

export type Tables = {
  readonly [T in keyof typeof tableFields]: RecordOf<(typeof tableFields)[T]>;
};

export type BusinessRecord = Tables["businesses"];
export type EntryRecord = Tables["entries"];
export type AppointmentRecord = Tables["appointments"];
export type SessionsRecord = Tables["sessions"];
export type WindowsRecord = Tables["windows"];
export type AuditRecord = Tables["audit"];

export type TableName = keyof Tables;

/** A record as it was read. An update is refused if the record has another version by then. */
export type Stored<T extends TableName> = Tables[T] & { readonly version: number };

/** An index of a table. A path such as `keys.id` names a field of each item of a list. */
export interface Index {
  readonly fields: readonly string[];
  /** Default false. */
  readonly unique?: boolean;
  /** Whether it has only the records whose last field is not null. Default false. */
  readonly some?: boolean;
}

/**
 * The tables whose records take the audit rows of their changes with them, with the field that names their business.
 * They are never removed one by one, so no row is lost.
 */
export const audited = {
  businesses: "id",
  entries: "businessId",
  appointments: "businessId",
} as const satisfies { readonly [T in TableName]?: keyof Tables[T] };

/** The field that identifies a record of a table. A business that is imported again replaces the one with its slug. */
export const primaryKeys = {
  businesses: "slug",
  entries: "id",
  appointments: "id",
  sessions: "id",
  windows: "id",
  audit: "id",
  imports: "id",
} as const satisfies Record<TableName, string>;

/** The field with the time from which a record is removed. An entry stays then, and only its key is. */
export const expiryFields = {
  entries: "keyed.keptUntil",
  sessions: "endsAt",
  windows: "endsAt",
  audit: "at",
} as const;

/**
 * The indexes by which records are found and listed, beside the primary keys, by name. The unique ones decide races: of
 * two writes with the same values the later one is refused. Counting has indexes of its own; see the adapters.
 */
export const indexes = {
  businesses: {
    id: { fields: ["id"], unique: true },
    added: { fields: ["added"] },
    key: { fields: ["keys.id"], unique: true },
    queue: { fields: ["queues.id"] },
    email: { fields: ["accounts.email"] },
    link: { fields: ["accounts.link.tokenHash"], some: true },
    display: { fields: ["displayHash"], some: true },
  },
  entries: {
    number: { fields: ["businessId", "date", "tokens"], unique: true },
    sequence: { fields: ["businessId", "date", "sequenceInDay"], unique: true },
    key: { fields: ["businessId", "keyed.key"], unique: true, some: true },
    keyEnd: { fields: ["keyed.keptUntil"], some: true },
    appointment: { fields: ["businessId", "appointmentId"], unique: true, some: true },
    uses: { fields: ["businessId", "uses"] },
    queue: { fields: ["businessId", "date", "queueId", "tokenNumber"] },
    status: { fields: ["businessId", "date", "queueId", "status", "tokenNumber"] },
    change: { fields: ["businessId", "date", "changedAt"] },
  },
  appointments: {
    day: { fields: ["businessId", "isRemoved", "date", "slotTime", "id"] },
    service: { fields: ["businessId", "isRemoved", "serviceId"] },
  },
  sessions: {
    token: { fields: ["sessions.tokenHash"] },
    business: { fields: ["businessId"] },
    end: { fields: ["endsAt"] },
  },
  windows: { end: { fields: ["endsAt"] } },
  audit: {
    log: { fields: ["businessId", "at", "id"] },
    sum: { fields: ["sumName"], unique: true, some: true },
    time: { fields: ["at"] },
  },
  imports: {},
} as const satisfies Record<TableName, Record<string, Index>>;
