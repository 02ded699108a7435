import { Schema, Types } from "mongoose";
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

const { Mixed } = Schema.Types;

/** How many changes of a document can be recognized by their ids. */
const changesKept = 8;

/** A new id of a change, by which the one who made it recognizes it when the answer was lost. */
export function newChangeId(): string {
  return new Types.ObjectId().toHexString();
}

/** Fields by which documents are changed: a change matches the revision that it was decided on. */
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

/** An API key in its business, with the windows that its requests charge. */
export interface KeyDoc extends Omit<KeyInUse, "businessId"> {
  readonly requests: Window | null;
  readonly writes: Window | null;
  /** The id of the last charge. */
  readonly charge: string | null;
}

export type QueueDoc = Omit<Queue, "businessId">;
export type ServiceDoc = Omit<Service, "businessId">;

/** The right of an owner to sign in. What else is known of the owner is in {@link OwnerDoc}. */
export type AccountDoc = Pick<Owner, "id" | "email" | "role" | "createdAt">;

/**
 * A business with everything that is small. Its `_id` is its slug, so that one write replaces a business by an
 * imported one. The revision grows with each change, but not with charges of the windows of its keys.
 */
export interface BusinessDoc extends Omit<Business, "slug">, Revised {
  readonly _id: string;
  /** The order of the list of businesses. */
  readonly added: Types.ObjectId;
  readonly queues: readonly QueueDoc[];
  /** The queues that gave tokens. Noted before the first token of each, so that no used queue is removed. */
  readonly used: readonly string[];
  readonly services: readonly ServiceDoc[];
  readonly keys: readonly KeyDoc[];
  readonly accounts: readonly AccountDoc[];
}

export const businessSchema = new Schema<BusinessDoc>(
  {
    _id: String,
    id: String,
    added: Schema.Types.ObjectId,
    name: String,
    category: String,
    timezone: String,
    apiAccess: Boolean,
    dailyTokenLimit: Number,
    sandbox: Boolean,
    longWaitMinutes: Number,
    displayHash: String,
    queues: [Mixed],
    used: [String],
    services: [Mixed],
    keys: [Mixed],
    accounts: [Mixed],
    revision: Number,
    changes: [String],
  },
  { collection: "businesses", id: false },
)
  .index({ id: 1 }, { name: "id", unique: true })
  .index(
    { "keys.id": 1 },
    { name: "key", unique: true, partialFilterExpression: { "keys.id": { $exists: true } } },
  )
  .index({ "queues.id": 1 }, { name: "queue" })
  .index({ "accounts.email": 1 }, { name: "email" })
  .index({ displayHash: 1 }, { name: "display" });

/** The fields of a business without its lists. */
export const settingsOnly = {
  ...{ id: 1, name: 1, category: 1, timezone: 1, apiAccess: 1, dailyTokenLimit: 1, sandbox: 1 },
  ...{ longWaitMinutes: 1, displayHash: 1, revision: 1 },
} as const;

export function readBusiness(
  doc: Pick<BusinessDoc, "_id" | Exclude<keyof Business, "slug">>,
): Business {
  const { _id: slug, id, name, category, timezone, apiAccess } = doc;
  const { dailyTokenLimit, sandbox, longWaitMinutes, displayHash } = doc;
  const settings = { apiAccess, dailyTokenLimit, sandbox, longWaitMinutes, displayHash };
  return { id, slug, name, category, timezone, ...settings };
}

export function readQueue(businessId: string, queue: QueueDoc): Queue {
  return { ...queue, businessId };
}

export function readService(businessId: string, service: ServiceDoc): Service {
  return { ...service, businessId };
}

export function readKeyInUse(businessId: string, doc: KeyDoc): KeyInUse {
  const { requests, writes, charge, ...key } = doc;
  return { ...key, businessId };
}

export function readKey(businessId: string, doc: KeyDoc): ApiKey {
  const { lastUsedAt, ...key } = readKeyInUse(businessId, doc);
  return key;
}

export function writeKey({ businessId, lastUsedAt = null, ...key }: ApiKey & Partial<KeyInUse>) {
  return { ...key, lastUsedAt, requests: null, writes: null, charge: null } satisfies KeyDoc;
}

/** A record in the list of its business. */
export function writeOwned<Owned extends { readonly businessId: string }>(
  record: Owned,
): Omit<Owned, "businessId"> {
  const { businessId, ...rest } = record;
  return rest;
}

/* Owners */

/** An owner's password, sessions and link. It counts only while its business names it in `accounts`. */
export interface OwnerDoc {
  readonly _id: string;
  readonly businessId: string;
  readonly createdAt: number;
  readonly passwordHash: string | null;
  readonly link: Omit<PasswordLink, "ownerId"> | null;
  /** In the order in which they began. */
  readonly sessions: readonly Pick<OwnerSession, "tokenHash" | "createdAt" | "expiresAt">[];
}

export const ownerSchema = new Schema<OwnerDoc>(
  {
    _id: String,
    businessId: String,
    createdAt: Number,
    passwordHash: String,
    link: Mixed,
    sessions: [Mixed],
  },
  { collection: "owners" },
)
  .index({ businessId: 1 }, { name: "business" })
  .index({ "link.tokenHash": 1 }, { name: "link" })
  .index({ "link.expiresAt": 1 }, { name: "linkEnd" })
  .index({ "sessions.tokenHash": 1 }, { name: "session" })
  .index({ "sessions.expiresAt": 1 }, { name: "sessionEnd" });

export function writeOwner(owner: Owner, link: PasswordLink | null): OwnerDoc {
  const { id: _id, businessId, createdAt, passwordHash } = owner;
  const kept = link && { tokenHash: link.tokenHash, expiresAt: link.expiresAt };
  return { _id, businessId, createdAt, passwordHash, link: kept, sessions: [] };
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
const counted = {
  queueId: 1,
  tokenNumber: 1,
  status: 1,
  priority: 1,
  workMinutes: 1,
  startedAt: 1,
  completedAt: 1,
  placeInDay: 1,
  revision: 1,
} as const;

export const entrySchema = new Schema<EntryDoc>(
  {
    _id: String,
    businessId: String,
    queueId: String,
    date: String,
    tokenSeries: String,
    tokenNumber: Number,
    status: String,
    priority: Boolean,
    serviceId: String,
    workMinutes: Number,
    customerName: String,
    customerPhone: String,
    phoneIsInternational: Boolean,
    issuedAt: Number,
    startedAt: Number,
    completedAt: Number,
    canceledAt: Number,
    revision: Number,
    calls: Number,
    counter: String,
    placeInDay: Number,
    earlierPlaces: [Mixed],
    tokens: [String],
    keyed: Mixed,
    audits: [Mixed],
    expiresAt: Number,
    changes: [String],
  },
  { collection: "entries" },
)
  .index({ ...date, tokens: 1 }, { name: "number", unique: true })
  .index({ ...date, placeInDay: 1 }, { name: "place", unique: true })
  .index(
    { businessId: 1, "keyed.key": 1 },
    { name: "key", unique: true, partialFilterExpression: { "keyed.key": { $exists: true } } },
  )
  .index({ ...date, ...counted }, { name: "line" })
  .index(
    { date: 1, businessId: 1, issuedAt: 1 },
    { name: "waiting", partialFilterExpression: { status: "WAITING" } },
  )
  .index(
    { businessId: 1, "audits.at": 1 },
    { name: "log", partialFilterExpression: { "audits.at": { $exists: true } } },
  )
  .index(
    { expiresAt: 1 },
    { name: "end", partialFilterExpression: { expiresAt: { $exists: true } } },
  );

/** The fields that no reader of entries needs. */
export const entryOnly = { tokens: 0, keyed: 0, audits: 0, expiresAt: 0, changes: 0 } as const;

/** A place that no other entry has. Its digits make the order of the text that of the numbers. */
export function tokenOf(queueId: string, tokenNumber: number): string {
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

export function writeEntry({ id: _id, ...entry }: Entry, changeId: string): EntryDoc {
  const tokens = tokensOf({ id: _id, ...entry });
  return { _id, ...entry, tokens, audits: [], changes: [changeId] };
}

export function readEntry(doc: EntryDoc): Entry {
  const { _id: id, tokens, keyed, audits, expiresAt, changes, ...entry } = doc;
  return { id, ...entry };
}

/* Appointments */

export type AppointmentDoc = Omit<Appointment, "id"> & { readonly _id: string };

export const appointmentSchema = new Schema<AppointmentDoc>(
  {
    _id: String,
    businessId: String,
    date: String,
    slotTime: String,
    durationMinutes: Number,
    status: String,
    serviceId: String,
    customerName: String,
    customerPhone: String,
    phoneIsInternational: Boolean,
    notes: String,
    entryId: String,
  },
  { collection: "appointments" },
).index({ businessId: 1, date: 1, slotTime: 1, _id: 1 }, { name: "day" });

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
export type AuditSumDoc = AuditDoc & Partial<Revised>;

export const auditSchema = new Schema<AuditSumDoc>(
  {
    _id: Schema.Types.ObjectId,
    businessId: String,
    keyId: String,
    account: String,
    at: Number,
    method: String,
    path: String,
    status: Number,
    ip: String,
    requestId: String,
    sum: Mixed,
    revision: Number,
    changes: { type: [String], default: undefined },
  },
  { collection: "audit" },
)
  .index({ businessId: 1, at: 1, _id: 1 }, { name: "log" })
  .index({ at: 1 }, { name: "time" });

/** A row with its place among the rows of the same time. */
export function writeAuditRow(row: AuditRow): AuditDoc {
  return { _id: new Types.ObjectId(), ...row };
}

export function readAuditRow(doc: AuditSumDoc): AuditRow {
  const { _id, revision, changes, ...row } = doc;
  return row;
}

/* Windows of failed sign-ins */

/** The window of one subject. `_id` says of which kind it is, and whose. */
export interface WindowDoc extends Window {
  readonly _id: string;
  readonly endsAt: number;
}

export const windowSchema = new Schema<WindowDoc>(
  { _id: String, startedAt: Number, count: Number, endsAt: Number },
  { collection: "sign_ins" },
).index({ endsAt: 1 }, { name: "end" });

/* Imports */

/** Records that no business names, or will not for long: of an import, or of a business that was replaced. */
export interface ImportDoc {
  /** The id of the business, or `copy`, which marks the target of a copy. */
  readonly _id: string;
  readonly state: "adding" | "replaced" | "swept" | "copy";
  /** When the first part was added, or the business was replaced. */
  readonly at: number;
}

export const importSchema = new Schema<ImportDoc>(
  { _id: String, state: String, at: Number },
  { collection: "imports" },
);
