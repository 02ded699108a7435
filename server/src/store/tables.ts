import type {
  Account,
  AccountSession,
  ApiKey,
  Appointment,
  AuditRow,
  Business,
  Entry,
  EntryKey,
  Queue,
  Service,
} from "../rules/records.js";
import type { Window } from "../rules/window.js";

/*
 * The tables of the database, and the indexes that every adapter keeps. A record holds everything that one operation
 * may have to change at once, because an operation writes one record.
 */

/** When a queue or a service was last noted as in use; see `operations/uses.ts`. */
export interface UseNote {
  readonly id: string;
  readonly at: number;
}

/** A business with everything of it that is small. */
export interface BusinessRecord extends Business {
  /** Orders businesses by when they were added. */
  readonly added: string;
  readonly queues: readonly Queue[];
  readonly services: readonly Service[];
  readonly keys: readonly ApiKey[];
  readonly accounts: readonly Account[];
  readonly used: readonly UseNote[];
}

/** An entry with the idempotency key that it holds. */
export interface EntryRecord extends Entry {
  /** The queue and number of its token and of its earlier tokens; see `rules/token.ts`. Unique on a day. */
  readonly tokens: readonly string[];
  /** The ids of its queue, of its earlier queues and of its service. */
  readonly uses: readonly string[];
  readonly keyed: EntryKey | null;
  /** When it was last changed. Of two changes on one day, the later one has the higher time. */
  readonly changedAt: number;
}

/** An appointment. It stays when it is removed, because it holds the audit rows of its changes. */
export interface AppointmentRecord extends Appointment {
  readonly isRemoved: boolean;
  /** When a check-in last noted that it is in use; null if none did. See `operations/uses.ts`. */
  readonly checkInAt: number | null;
}

/** The sessions of an account. */
export interface SessionsRecord {
  /** Id of the account. */
  readonly id: string;
  readonly businessId: string;
  /** In the order in which they began. */
  readonly sessions: readonly (Pick<AccountSession, "tokenHash" | "createdAt" | "expiresAt"> & {
    readonly generation: number;
  })[];
  /** When the last of them expires. */
  readonly endsAt: number;
}

/** The windows of a key, or the window of failed sign-ins of a subject. */
export interface WindowsRecord {
  /** Of which kind they are, and whose. */
  readonly id: string;
  readonly requests: Window;
  /** The POST requests of a key; null if there was none. */
  readonly writes: Window | null;
  readonly endsAt: number;
}

/** A row of the audit log. */
export interface AuditRecord extends AuditRow {
  /** Orders rows of the same time by when they were stored. */
  readonly id: string;
  /** The name of a sum that can still grow; null for any other row. */
  readonly sumName: string | null;
}

/**
 * The id of a business whose records no business holds: an import in progress, or a business that was replaced. If that
 * stays so for an hour, the housekeeper removes the records. The id `copy` marks the database as the target of a copy.
 */
interface ImportRecord {
  /** Id of the business. */
  readonly id: string;
  /** When the last batch was added, or the business was replaced. */
  readonly at: number;
}

export interface Tables {
  readonly businesses: BusinessRecord;
  readonly entries: EntryRecord;
  readonly appointments: AppointmentRecord;
  readonly sessions: SessionsRecord;
  readonly windows: WindowsRecord;
  readonly audit: AuditRecord;
  readonly imports: ImportRecord;
}

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
