import type { LineGroup } from "../rules/day-counts.js";
import type { WaitingEntry } from "../rules/line.js";
import type { DayLoad } from "../rules/lines-load.js";
import type { AuditRow } from "../rules/records.js";
import type { audited, expiryFields, Stored, TableName, Tables } from "./tables.js";

/*
 * The port between the operations and the database. An adapter knows records and indexes, and no operation.
 */

/** A value of an indexed field. */
export type Value = string | number | boolean;

/** Fields of a record and their values. Together they are the first fields of an index; `keys.id` names list items. */
export type Key = Readonly<Record<string, Value>>;

/** Which records to list, and in which order. */
export interface Listing {
  /**
   * The values of the first fields of an index. In a listing without an order, a list of values matches any of them.
   */
  readonly where: Readonly<Record<string, Value | readonly Value[]>>;
  /** The next fields of that index, which order the list. Default: no order. */
  readonly order?: readonly string[];
  /** Whether the order is from the highest to the lowest. Default false. */
  readonly descending?: boolean;
  /** Leaves out all records up to this position: the values of the first fields of `order`. Default: none. */
  readonly after?: readonly Value[] | null;
  /** The first and the last value of the first field of `order`, inclusive. Default: any. */
  readonly from?: Value | null;
  readonly to?: Value | null;
  readonly limit: number;
}

/**
 * A listing of entries for a view. It leaves out their idempotency keys: no view shows them, and their receipts are most
 * of an entry.
 */
export interface ViewListing extends Listing {
  readonly without: "keyed";
}

/** An entry of a {@link ViewListing}. `update` does not take it, because it needs the whole record. */
export type EntryView = Omit<Stored<"entries">, "keyed">;

/** A queue of a business on one day. */
export interface QueueDayKey {
  readonly businessId: string;
  readonly date: string;
  readonly queueId: string;
}

/** The day of a business, or of one of its queues. */
export interface DayKey extends Omit<QueueDayKey, "queueId"> {
  /** Default: all queues. */
  readonly queueId?: string;
}

/** The last things that were given or done on a day; 0 if there is none. */
export interface Last {
  /** The last number that the queue gave, also to people who left it. */
  readonly number: number;
  /** The last `sequenceInDay` of the business. */
  readonly sequence: number;
  /** The highest `changedAt` among the entries of the business. */
  readonly changedAt: number;
}

/** The waiting entries of a business on one day. */
export interface WaitingCount extends Omit<DayLoad, "timezone"> {
  readonly businessId: string;
}

/**
 * The token numbers of the entries that the caller has read. A count leaves out the waiting entries of this range,
 * because the caller counts these itself: one that changed in between would count twice. `isBefore` of a group: its
 * numbers are below `first`.
 */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** What an operation or a view reads. Each read sees what was written before it. */
export interface Reads {
  /**
   * The record with these values; null if there is none. Of audit rows it finds sums only: other rows may still be in
   * the records that they are embedded in, and only `list` by business sees them there.
   */
  find<T extends TableName>(table: T, key: Key): Promise<Stored<T> | null>;
  /** Records by an index. See {@link Listing} for the order. */
  list<T extends TableName>(table: T, listing: Listing): Promise<Stored<T>[]>;
  list(table: "entries", listing: ViewListing): Promise<EntryView[]>;
  /** The entries of a day in groups. `read`: see {@link NumberRange}. Default: all are before it. */
  count(day: DayKey, read?: NumberRange): Promise<LineGroup[]>;
  /**
   * The waiting entries of a day. Those of one queue are in the order in which they will be called; the queues are in
   * no order.
   */
  line(day: DayKey): Promise<WaitingEntry[]>;
  last(day: QueueDayKey): Promise<Last>;
  /** The waiting entries of all businesses on these days. */
  waiting(dates: readonly string[]): Promise<WaitingCount[]>;
}

/** The one write of an operation. `audit`: null for a removal, and for a table that is not {@link audited}. */
export type Write<T extends TableName = TableName> = { readonly audit: Tables["audit"] | null } & (
  | { readonly kind: "insert"; readonly table: T; readonly record: Tables[T] }
  | {
      readonly kind: "update";
      readonly table: T;
      /** As it was read. */
      readonly before: Stored<T>;
      readonly record: Tables[T];
    }
  | { readonly kind: "remove"; readonly table: T; readonly before: Stored<T> }
);

/** A write of an operation before it is sent. */
export type KeptWrite = { [T in TableName]: Omit<Write<T>, "audit"> }[TableName];

/** What one run of an operation does with the database. */
export interface Access extends Reads {
  /**
   * Writes one record with its audit row, whole or not at all.
   *
   * @throws RunAgain if another write came first, so that the record has another version or a unique index has its
   * values. Nothing is written, and the run must reject with it.
   * @throws StoreUnavailableError if it is unknown whether it was written.
   */
  send(write: Write): Promise<void>;
}

/** What an adapter provides. `portOn` makes a {@link Port} of it. The reads are those of views. */
export interface Adapter extends Reads {
  /** Whether operations run one after the other, so that no two of them conflict. If not, `send` decides races. */
  readonly isSerial: boolean;
  /**
   * Runs an operation once, and resolves when what it sent cannot be lost. `isDurable`: see {@link RunOptions}.
   *
   * @throws What the operation throws, or StoreUnavailableError if it is unknown whether its write was made.
   */
  runOnce<Result>(
    operation: (access: Access) => Promise<Result>,
    isDurable: boolean,
  ): Promise<Result>;
  /** Adds records that nothing refers to yet, in any number of writes. One whose id exists stays as it is. */
  append<T extends "entries" | "appointments" | "audit">(
    table: T,
    records: readonly Tables[T][],
  ): Promise<void>;
  /**
   * Removes at most `limit` records whose time in {@link expiryFields} is before an instant, the earliest first, and
   * returns how many. Of entries it removes the keys.
   */
  removeExpired(table: keyof typeof expiryFields, before: number, limit: number): Promise<number>;
  /** Removes at most `limit` records of a business from a table, and returns how many. */
  removeOfBusiness(
    table: "entries" | "appointments" | "sessions" | "audit",
    businessId: string,
    limit: number,
  ): Promise<number>;
  /** Work of the adapter's own that a housekeeper does from time to time. */
  maintain(): Promise<void>;
  /** Fails if the database cannot take a write. */
  ping(): Promise<void>;
  /** Closes the database. The port calls it when everything else has ended. */
  close(): Promise<void>;
}

/** The transaction of an operation: what it reads, and the one record that it writes when it ends. */
export interface Tx extends Reads {
  /** The time of the store when the operation began. */
  readonly now: number;
  /** The time that expires long-lived records; see `clock.ts`. */
  readonly expiry: number;
  /** A new id that orders records by when they were made. */
  orderedId(): string;
  insert<T extends TableName>(table: T, record: Tables[T]): void;
  /** `before`: the record as it was read. */
  update<T extends TableName>(table: T, before: Stored<T>, change: Partial<Tables[T]>): void;
  /** Ends this run of the operation: updates the record, and the operation runs again. */
  updateFirst<T extends TableName>(table: T, before: Stored<T>, change: Partial<Tables[T]>): never;
  remove<T extends TableName>(table: T, before: Stored<T>): void;
}

/** What a view gets: a transaction that does not write. */
export type ViewTx = Omit<Tx, "insert" | "update" | "updateFirst" | "remove">;

/** An audit row that is stored with a change. */
export interface PendingAudit {
  readonly row: AuditRow;
  /** Becomes true when it is stored. */
  isStored: boolean;
}

export interface RunOptions {
  /**
   * Operations with the same text run one after the other in this process, so that they do not make each other run
   * again. Without effect if the adapter is serial. Default: null, none.
   */
  readonly mutex?: string | null;
  /** Whether what it writes must survive a power cut, and not only the end of the process. Default: true. */
  readonly isDurable?: boolean;
  /** Stored with what the operation writes, if its table is {@link audited}. Default: null, none. */
  readonly audit?: PendingAudit | null;
}

/** How operations and views run. */
export interface Port
  extends Pick<
    Adapter,
    "append" | "removeExpired" | "removeOfBusiness" | "maintain" | "ping" | "close"
  > {
  /**
   * Runs an operation and sends what it writes. If another write came first, the operation runs again, so it must have
   * no other effect.
   *
   * @throws StoreUnavailableError if the database cannot be reached, or the operation met too many conflicts.
   */
  run<Result>(operation: (tx: Tx) => Promise<Result>, options?: RunOptions): Promise<Result>;
  read<Result>(view: (tx: ViewTx) => Promise<Result>): Promise<Result>;
  /** The time of the store. */
  now(): number;
  /** The time that expires long-lived records, or null while the clock is not trusted to remove any. */
  removalTime(): number | null;
}
