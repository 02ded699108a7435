import { listDay } from "../../rules/list-day.js";
import type {
  ApiKey,
  Appointment,
  Business,
  Entry,
  EntryKey,
  Owner,
  OwnerSession,
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

/** The records of one kind by id, in the order in which they were added. */
class Records<Item extends Owned & { readonly id: string }> extends Map<string, Item> {
  /** The record with an id; null if the business has none. */
  of(businessId: string, id: string): Item | null {
    const record = this.get(id);
    return record?.businessId === businessId ? record : null;
  }

  all(businessId: string): Item[] {
    return [...this.values()].filter((record) => record.businessId === businessId);
  }

  add(record: Item): "added" | "exists" {
    if (this.has(record.id)) return "exists";
    this.set(record.id, record);
    return "added";
  }

  /** The record after a change; null if the business has no record with that id. */
  change(businessId: string, id: string, change: Partial<Item>): Item | null {
    const record = this.of(businessId, id);
    const after = record && { ...record, ...change };
    if (after) this.set(id, after);
    return after;
  }

  remove(businessId: string, id: string, isInUse: (record: Item) => boolean) {
    const record = this.of(businessId, id);
    if (!record) return "not_found";
    if (isInUse(record)) return "in_use";
    this.delete(id);
    return "removed";
  }
}

/** An idempotency key with the entry that holds it. */
export interface HeldKey extends EntryKey, Owned {
  readonly entryId: string;
}

/** A key with its windows. */
export interface ChargedKey extends ApiKey {
  readonly requests: Window | null;
  readonly writes: Window | null;
}

/** A key, and its windows. */
export function splitKey(found: ChargedKey | undefined) {
  if (!found) return { key: null, requests: null, writes: null };
  const { requests, writes, ...key } = found;
  return { key, requests, writes };
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
  readonly keys = new Records<ChargedKey>();
  readonly services = new Records<Service>();
  readonly queues = new Records<Queue>();
  readonly appointments = new Records<Appointment>();
  readonly entries = new Records<Entry>();
  /** The same entries, by business and day. */
  readonly #days = new Map<string, Map<string, Entry>>();
  /** By business and key; see {@link keyPlace}. */
  readonly heldKeys = new Map<string, HeldKey>();
  /** Failed sign-ins with an API key, by subject. */
  readonly failedKeys = new Map<string, Window>();
  readonly audit = new AuditLog();
  readonly owners = new Records<Owner>();
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
  day({ businessId, id }: Pick<Queue, "businessId" | "id">, date: string): Entry[] {
    return this.businessDay(businessId, date)
      .filter(({ queueId }) => queueId === id)
      .sort((a, b) => a.tokenNumber - b.tokenNumber);
  }

  /** Stores an entry, and the idempotency key of its creation. */
  keepEntry(entry: Entry, keyed: EntryKey | null = null): void {
    const key = `${entry.businessId} ${entry.date}`;
    const day = this.#days.get(key) ?? new Map<string, Entry>();
    this.#days.set(key, day.set(entry.id, entry));
    this.entries.set(entry.id, entry);
    const { businessId, id: entryId } = entry;
    if (keyed)
      this.heldKeys.set(keyPlace(businessId, keyed.key), { ...keyed, businessId, entryId });
  }

  business(by: "id" | "slug" | "displayHash", value: string): Business | null {
    return [...this.businesses.values()].find((business) => business[by] === value) ?? null;
  }

  endSessions(ownerId: string): void {
    for (const [tokenHash, session] of this.sessions) {
      if (session.ownerId === ownerId) this.sessions.delete(tokenHash);
    }
  }

  removeOwner(ownerId: string): void {
    this.owners.delete(ownerId);
    this.endSessions(ownerId);
  }

  /** Removes a business with all its records. */
  removeBusiness(businessId: string): void {
    this.businesses.delete(businessId);
    for (const owner of this.owners.all(businessId)) this.removeOwner(owner.id);
    for (const { date } of this.entries.all(businessId)) this.#days.delete(`${businessId} ${date}`);
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
