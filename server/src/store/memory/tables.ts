import { listDay } from "../../rules/list-day.js";
import type {
  ApiKey,
  Appointment,
  Business,
  Entry,
  EntryKey,
  Owner,
  OwnerSession,
  PasswordLink,
  Queue,
  Service,
} from "../../rules/records.js";
import type { Window } from "../../rules/window.js";
import type { BusinessRecords, RecordKind } from "../port/imports.js";
import type { PageRequest } from "../port/page.js";
import { AuditLog } from "./audit-log.js";

/** A record that belongs to a business. */
interface Owned {
  readonly businessId: string;
}

/** An idempotency key with the entry that holds it. */
export interface HeldKey extends EntryKey, Owned {
  readonly entryId: string;
}

interface KeyWindows {
  readonly requests: Window | null;
  readonly writes: Window | null;
}

/** The records of an import that is not committed. */
export interface Unnamed {
  readonly records: { readonly [K in RecordKind]: BusinessRecords[K][] };
  /** When the first part was stored. */
  readonly since: number;
}

/** All data of the store, in plain maps. */
export class Tables {
  readonly businesses = new Map<string, Business>();
  readonly keys = new Map<string, ApiKey>();
  readonly services = new Map<string, Service>();
  readonly queues = new Map<string, Queue>();
  readonly appointments = new Map<string, Appointment>();
  readonly entries = new Map<string, Entry>();
  /** The same entries, by business and day. */
  readonly #days = new Map<string, Map<string, Entry>>();
  /** By business and key; see {@link keyPlace}. */
  readonly heldKeys = new Map<string, HeldKey>();
  /** Failed sign-ins with an API key, by subject. */
  readonly failedKeys = new Map<string, Window>();
  readonly keyWindows = new Map<string, KeyWindows>();
  readonly audit = new AuditLog();
  readonly owners = new Map<string, Owner>();
  /** By owner id. */
  readonly passwordLinks = new Map<string, PasswordLink>();
  /** By token hash, in the order in which they began. */
  readonly sessions = new Map<string, OwnerSession>();
  /** Failed sign-ins of owners, by name of the window. */
  readonly ownerSignIns = new Map<string, Window>();
  /** By the id of the business that does not exist yet. */
  readonly unnamed = new Map<string, Unnamed>();

  /** The entries of a business on one day, in all of its queues. */
  businessDay(businessId: string, date: string): Entry[] {
    return [...(this.#days.get(`${businessId} ${date}`)?.values() ?? [])];
  }

  /** The entries of a queue on one day in token order. */
  day({ businessId, id }: Queue, date: string): Entry[] {
    return this.businessDay(businessId, date)
      .filter(({ queueId }) => queueId === id)
      .sort((a, b) => a.tokenNumber - b.tokenNumber);
  }

  keepEntry(entry: Entry): void {
    const key = `${entry.businessId} ${entry.date}`;
    const day = this.#days.get(key) ?? new Map<string, Entry>();
    this.#days.set(key, day.set(entry.id, entry));
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
    }
    for (const { date } of ownedBy(businessId, this.entries)) {
      this.#days.delete(`${businessId} ${date}`);
    }
    const { keys, services, queues, entries, appointments, heldKeys } = this;
    for (const table of [keys, services, queues, entries, appointments, heldKeys]) {
      for (const [key, record] of table) if (record.businessId === businessId) table.delete(key);
    }
    this.audit.removeAll(businessId);
  }
}

/** The map key of a business's idempotency key. */
export function keyPlace(businessId: string, key: string): string {
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

/**
 * A page of a day's list, and the whole list. `asked` is the day without a cursor; {@link listDay} says which day a
 * cursor continues. Null if the cursor is not an item of the list.
 */
export function pageOf<Record extends Owned & { readonly id: string; readonly date: string }>(
  table: ReadonlyMap<string, Record>,
  dayOf: (date: string) => Record[],
  asked: string,
  { limit, after, orEarlier = false }: PageRequest,
  isWanted: (record: Record) => boolean = () => true,
): { readonly day: Record[]; readonly items: Record[]; readonly more: boolean } | null {
  const cursorDay = after === null ? asked : (table.get(after)?.date ?? asked);
  const date = listDay(asked, cursorDay, orEarlier);
  const day = date === null ? [] : dayOf(date);
  const start = day.findIndex(({ id }) => id === after);
  if (after !== null && start < 0) return null;
  const rest = day.slice(start + 1).filter(isWanted);
  return { day, items: rest.slice(0, limit), more: rest.length > limit };
}

/** Adds a record unless its id exists. */
export function addOne<Record extends Owned & { readonly id: string }>(
  table: Map<string, Record>,
  record: Record,
): "added" | "exists" {
  if (table.has(record.id)) return "exists";
  table.set(record.id, record);
  return "added";
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

/** Removes a record of the business unless it is in use. */
export function removeOne<Record extends Owned>(
  table: Map<string, Record>,
  businessId: string,
  id: string,
  isInUse: (record: Record) => boolean,
): "removed" | "in_use" | "not_found" {
  const record = owned(businessId, table.get(id));
  if (!record) return "not_found";
  if (isInUse(record)) return "in_use";
  table.delete(id);
  return "removed";
}

/** Orders records by the time of their creation. */
export function byCreation(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || compare(a.id, b.id);
}

/** Compares by code units, which is the order of ids and times of day. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
