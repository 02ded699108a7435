import { Schema, Types } from "mongoose";
import { auditRetentionMs } from "../../rules/audit.js";
import type {
  ApiKey,
  Appointment,
  AuditRow,
  Business,
  Entry,
  EntryKey,
  KeyInUse,
  Owner,
  OwnerSession,
  PasswordLink,
  Queue,
  Service,
} from "../../rules/records.js";
import type { Window } from "../../rules/window.js";

/**
 * A schema with the indexes of a collection. Its documents have the fields of their type: it names none again,
 * because what the store writes is already checked.
 */
function schemaOf<Doc>(collection: string): Schema<Doc> {
  const options = { strict: false, id: false, versionKey: false, minimize: false } as const;
  return new Schema<Doc>({ _id: Schema.Types.Mixed } as never, { collection, ...options } as never);
}

/** The option of an index of the documents that have a field. */
function where(field: string) {
  return { partialFilterExpression: { [field]: { $exists: true } } };
}

/** How many changes of a document can be recognized by their ids. */
const changesKept = 8;

/** A new id of a change, by which the one who made it recognizes it when the answer was lost. */
export function newChangeId(): string {
  return new Types.ObjectId().toHexString();
}

/**
 * Fields by which documents are changed: a change matches the revision that it was decided on.
 *
 * @public The types of the models name it.
 */
export interface Revised {
  readonly revision: number;
  /** The ids of the last changes. */
  readonly changes: readonly string[];
}

/** The part of an update that stores the id of its change. */
export function remembered(changeId: string) {
  return { changes: { $each: [changeId], $slice: -changesKept } };
}

/* Businesses */

/** The right of an owner to sign in. What else is known of the owner is in {@link OwnerDoc}. */
export type AccountDoc = Pick<Owner, "id" | "email" | "role" | "createdAt">;

/**
 * A business with everything that is small. Its `_id` is its slug, so that one write replaces a business by an
 * imported one. The revision grows with each change, but not with what is noted in `used` and `lastUsedAt`.
 */
export interface BusinessDoc extends Omit<Business, "slug">, Revised {
  readonly _id: string;
  /** The order of the list of businesses. */
  readonly added: Types.ObjectId;
  readonly queues: readonly Queue[];
  /** The queues and services that entries have. Noted before the first entry of each, so that none is removed. */
  readonly used: readonly string[];
  readonly services: readonly Service[];
  readonly keys: readonly KeyInUse[];
  readonly accounts: readonly AccountDoc[];
}

export const businessSchema = schemaOf<BusinessDoc>("businesses")
  .index({ id: 1 }, { name: "id", unique: true })
  .index({ "keys.id": 1 }, { name: "key", unique: true, ...where("keys.id") })
  .index({ "queues.id": 1 }, { name: "queue" })
  .index({ displayHash: 1 }, { name: "display" });

/** The fields of a business without its lists. */
export const settingsOnly = {
  ...{ id: 1, name: 1, category: 1, timezone: 1, apiAccess: 1, dailyTokenLimit: 1, sandbox: 1 },
  ...{ longWaitMinutes: 1, displayHash: 1, displayQuery: 1, revision: 1 },
} as const;

/** The fields of a business that creations and moves of entries do not need. */
export const withoutKeys = { keys: 0, accounts: 0, changes: 0 } as const;

export function readBusiness(doc: BusinessDoc): Business {
  const { _id: slug, added, queues, used, services, keys, accounts, ...rest } = doc;
  const { revision, changes, ...settings } = rest;
  return { slug, ...settings };
}

export function readKey({ lastUsedAt, ...key }: KeyInUse): ApiKey {
  return key;
}

/* Owners */

/** An owner's password, sessions and link. It counts only while its business names it in `accounts`. */
export interface OwnerDoc {
  readonly _id: string;
  readonly businessId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly link: PasswordLink | null;
  /** In the order in which they began. */
  readonly sessions: readonly Pick<OwnerSession, "tokenHash" | "createdAt" | "expiresAt">[];
}

export const ownerSchema = schemaOf<OwnerDoc>("owners")
  .index({ businessId: 1 }, { name: "business" })
  .index({ email: 1 }, { name: "email" })
  .index({ "link.tokenHash": 1 }, { name: "link" })
  .index({ "link.expiresAt": 1 }, { name: "linkEnd" })
  .index({ "sessions.tokenHash": 1 }, { name: "session" })
  .index({ "sessions.expiresAt": 1 }, { name: "sessionEnd" });

export function writeAccount({ id, email, role, createdAt }: Owner): AccountDoc {
  return { id, email, role, createdAt };
}

export function writeOwner({ id: _id, businessId, email, passwordHash, link }: Owner): OwnerDoc {
  return { _id, businessId, email, passwordHash, link, sessions: [] };
}

/* Entries */

/**
 * An entry, with the idempotency key that it holds and the audit rows of the requests that changed it, so that
 * one write stores all of them or none.
 */
export interface EntryDoc extends Omit<Entry, "id">, Revised {
  readonly _id: string;
  /** The queue and number of its place and of its earlier places; see {@link tokenOf}. Unique on a day. */
  readonly tokens: readonly string[];
  readonly keyed?: EntryKey;
  readonly audits: readonly AuditDoc[];
  /** When something in it expires: its key or its oldest audit row. Absent if nothing does. */
  readonly expiresAt?: number;
}

const date = { businessId: 1, date: 1 } as const;

/** What creations, boards and lists count, so that they read the index only. */
const place = { queueId: 1, tokenNumber: 1, status: 1, priority: 1, workMinutes: 1 } as const;
const times = { startedAt: 1, completedAt: 1, placeInDay: 1, revision: 1 } as const;

export const entrySchema = schemaOf<EntryDoc>("entries")
  .index({ ...date, tokens: 1 }, { name: "number", unique: true })
  .index({ ...date, placeInDay: 1 }, { name: "place", unique: true })
  .index({ businessId: 1, "keyed.key": 1 }, { name: "key", unique: true, ...where("keyed.key") })
  .index({ ...date, ...place, ...times }, { name: "line" })
  .index(
    { date: 1, businessId: 1, issuedAt: 1 },
    { name: "waiting", partialFilterExpression: { status: "WAITING" } },
  )
  .index({ businessId: 1, "audits.at": 1 }, { name: "log", ...where("audits.at") })
  .index({ expiresAt: 1 }, { name: "end", ...where("expiresAt") });

/** The fields that lists show, and the work. Fewer fields are read in half the time. */
export const listFields = {
  ...{ tokenSeries: 1, tokenNumber: 1, status: 1, priority: 1, serviceId: 1, workMinutes: 1 },
  ...{ customerName: 1, customerPhone: 1 },
  ...{ issuedAt: 1, startedAt: 1, completedAt: 1, canceledAt: 1 },
} as const;

/** The fields that no reader of entries needs. */
export const entryOnly = { tokens: 0, keyed: 0, audits: 0, expiresAt: 0, changes: 0 } as const;

/** A place that no other entry has. Its digits make the order of the text that of the numbers. */
function tokenOf(queueId: string, tokenNumber: number): string {
  return `${queueId}:${`${tokenNumber}`.padStart(6, "0")}`;
}

/** The tokens of a queue from a number on. */
export function tokensFrom(queueId: string, tokenNumber: number) {
  return { $gte: tokenOf(queueId, tokenNumber), $lt: `${queueId};` };
}

export function numberOfToken(token: string): number {
  return Number(token.slice(token.lastIndexOf(":") + 1));
}

export function tokensOf({ queueId, tokenNumber, earlierPlaces }: Entry): string[] {
  const places = [{ queueId, tokenNumber }, ...earlierPlaces];
  return places.map((place) => tokenOf(place.queueId, place.tokenNumber));
}

/** Audit rows of an entry, and when the first of what it holds expires. */
export function expiring(key: { readonly keptUntil: number } | null, audits: EntryDoc["audits"]) {
  const ends = audits.map(({ at }) => at + auditRetentionMs);
  if (key) ends.push(key.keptUntil);
  return { audits, ...(ends.length > 0 && { expiresAt: Math.min(...ends) }) };
}

/** The document of an entry, with the key that it holds and its audit rows. */
export function writeEntry(
  { id: _id, ...entry }: Entry,
  changeId: string,
  key: EntryKey | null = null,
  audits: EntryDoc["audits"] = [],
): EntryDoc {
  const tokens = tokensOf({ id: _id, ...entry });
  const keyed = key && { keyed: key };
  return { _id, ...entry, tokens, changes: [changeId], ...keyed, ...expiring(key, audits) };
}

export function readEntry(doc: EntryDoc): Entry {
  const { _id: id, tokens, keyed, audits, expiresAt, changes, ...entry } = doc;
  return { id, ...entry };
}

/* Appointments */

export type AppointmentDoc = Omit<Appointment, "id"> & { readonly _id: string };

export const appointmentSchema = schemaOf<AppointmentDoc>("appointments")
  .index({ businessId: 1, date: 1, slotTime: 1, _id: 1 }, { name: "day" })
  .index({ businessId: 1, _id: 1 }, { name: "business" });

/** A record as a document: its id is the document's. */
export function withId<R extends { readonly id: string }>({ id: _id, ...rest }: R) {
  return { _id, ...rest };
}

export function readAppointment({ _id: id, ...rest }: AppointmentDoc): Appointment {
  return { id, ...rest };
}

/* The audit log */

/** A row of the audit log. Its `_id` orders rows of the same time. */
export interface AuditDoc extends AuditRow {
  readonly _id: Types.ObjectId;
}

/** A sum is changed by many processes. */
export type AuditSumDoc = AuditDoc & Revised;

export const auditSchema = schemaOf<AuditDoc>("audit")
  .index({ businessId: 1, at: 1, _id: 1 }, { name: "log" })
  .index({ at: 1 }, { name: "time" });

/** A row with its place among the rows of the same time. */
export function writeAuditRow(row: AuditRow): AuditDoc {
  return { _id: new Types.ObjectId(), ...row };
}

export function readAuditRow(doc: AuditDoc & Partial<Revised>): AuditRow {
  const { _id, revision, changes, ...row } = doc;
  return row;
}

/* Windows */

/**
 * The window of the failed sign-ins of a subject, or the windows of a key. Those of a key are not in its business,
 * because each request would write the whole business again. `_id` says of which kind they are, and whose.
 */
export interface WindowDoc {
  readonly _id: string;
  readonly requests: Window;
  /** The POST requests of a key; null if there was none. */
  readonly writes: Window | null;
  /** The ids of the last charges of a key. */
  readonly changes?: Revised["changes"];
  readonly endsAt: number;
}

export const windowSchema = schemaOf<WindowDoc>("windows").index({ endsAt: 1 }, { name: "end" });

/* Imports */

/** Records that no business names, or will not for long: of an import, or of a business that was replaced. */
export interface ImportDoc {
  /** The id of the business, or `copy`, which marks the target of a copy. */
  readonly _id: string;
  readonly state: "adding" | "replaced" | "swept" | "copy";
  /** When the last part was added, or the business was replaced. */
  readonly at: number;
}

export const importSchema = schemaOf<ImportDoc>("imports");
