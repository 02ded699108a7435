import type {
  ApiKey,
  Appointment,
  Business,
  Entry,
  IdempotencyRecord,
  Owner,
  OwnerSession,
  PasswordLink,
  Queue,
  Service,
} from "../../rules/records.js";
import type { Window } from "../../rules/window.js";
import { AuditLog } from "./audit-log.js";

/** A record that belongs to a business. */
interface Owned {
  readonly businessId: string;
}

interface KeyWindows {
  readonly requests: Window | null;
  readonly writes: Window | null;
}

/** All data of the store, in plain maps. */
export class Tables {
  readonly businesses = new Map<string, Business>();
  readonly keys = new Map<string, ApiKey>();
  readonly services = new Map<string, Service>();
  readonly queues = new Map<string, Queue>();
  readonly appointments = new Map<string, Appointment>();
  readonly entries = new Map<string, Entry>();
  /** The entries of one queue on one day, by token number. */
  readonly days = new Map<string, Map<number, Entry>>();
  /** The id of the entry that an idempotency key created, by claim id. */
  readonly claimed = new Map<string, string>();
  /** By business and key; see {@link recordKey}. */
  readonly idempotency = new Map<string, IdempotencyRecord & Owned>();
  /** Failed sign-ins with an API key, by subject. */
  readonly failedKeys = new Map<string, Window>();
  readonly keyWindows = new Map<string, KeyWindows>();
  /** The start of the last window of each key's requests. It is kept after the window expires. */
  readonly lastUsed = new Map<string, number>();
  readonly audit = new AuditLog();
  readonly owners = new Map<string, Owner>();
  /** By owner id. */
  readonly passwordLinks = new Map<string, PasswordLink>();
  /** By token hash, in the order in which they began. */
  readonly sessions = new Map<string, OwnerSession>();
  /** Failed sign-ins of owners, by name of the window. */
  readonly ownerSignIns = new Map<string, Window>();

  /** Entries of a queue and day in token order. */
  day(queueId: string, date: string): Entry[] {
    const day = this.days.get(dayKey(queueId, date))?.values() ?? [];
    return [...day].sort((a, b) => a.tokenNumber - b.tokenNumber);
  }

  /** The number of the next token of a queue and day. */
  nextNumber(queueId: string, date: string): number {
    return (this.day(queueId, date).at(-1)?.tokenNumber ?? 0) + 1;
  }

  /** The number of entries that a business issued on a day, in all of its queues. */
  issuedOn(businessId: string, date: string): number {
    const queues = ownedBy(businessId, this.queues);
    return queues.reduce((sum, { id }) => sum + (this.days.get(dayKey(id, date))?.size ?? 0), 0);
  }

  keepEntry(entry: Entry): void {
    const key = dayKey(entry.queueId, entry.date);
    const day = this.days.get(key) ?? new Map<number, Entry>();
    this.days.set(key, day.set(entry.tokenNumber, entry));
    this.entries.set(entry.id, entry);
  }

  businessBySlug(slug: string): Business | null {
    return [...this.businesses.values()].find((business) => business.slug === slug) ?? null;
  }

  endSessions(ownerId: string): void {
    for (const [tokenHash, session] of this.sessions) {
      if (session.ownerId === ownerId) this.sessions.delete(tokenHash);
    }
  }

  removeOwner(ownerId: string): void {
    this.owners.delete(ownerId);
    this.passwordLinks.delete(ownerId);
    this.endSessions(ownerId);
  }

  /** Removes a business with all its records. */
  removeBusiness(businessId: string): void {
    this.businesses.delete(businessId);
    for (const owner of ownedBy(businessId, this.owners)) this.removeOwner(owner.id);
    for (const key of ownedBy(businessId, this.keys)) {
      this.keyWindows.delete(key.id);
      this.lastUsed.delete(key.id);
    }
    for (const entry of ownedBy(businessId, this.entries)) {
      this.days.delete(dayKey(entry.queueId, entry.date));
    }
    for (const table of [
      this.keys,
      this.services,
      this.queues,
      this.entries,
      this.appointments,
      this.idempotency,
    ]) {
      for (const [key, record] of table) if (record.businessId === businessId) table.delete(key);
    }
    this.audit.removeAll(businessId);
  }
}

function dayKey(queueId: string, date: string): string {
  return `${queueId} ${date}`;
}

/** The map key of the record of a business's idempotency key. */
export function recordKey(businessId: string, key: string): string {
  return `${businessId} ${key}`;
}

/** The record, if it exists and belongs to the business. */
export function owned<Record extends Owned>(
  businessId: string,
  record: Record | undefined,
): Record | null {
  return record?.businessId === businessId ? record : null;
}

/** The records of a business, in the order in which they were added. */
export function ownedBy<Record extends Owned>(
  businessId: string,
  table: ReadonlyMap<string, Record>,
): Record[] {
  return [...table.values()].filter((record) => record.businessId === businessId);
}

/** The record after a change, or null if the business has no record with that id. */
export function changeOne<Record extends Owned>(
  table: Map<string, Record>,
  businessId: string,
  id: string,
  change: NoInfer<Partial<Record>>,
): Record | null {
  const record = owned(businessId, table.get(id));
  if (!record) return null;
  const after = { ...record, ...change };
  table.set(id, after);
  return after;
}

/** Compares by code units, which is the order of ids and times of day. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
