import type { EntryStatus } from "@queue-api/contract";

/*
 * What the peer stores. A record is flat, so that both engines store it as it is: a boolean is 0 or 1.
 */

type Texts<Name extends string> = Readonly<Record<Name, string>>;
type Numbers<Name extends string> = Readonly<Record<Name, number>>;

/** A key with its business. Scopes and addresses are separated by blanks. */
export type PeerKey = Texts<"id" | "secretHash" | "keyName" | "scopes" | "allowIps"> &
  Texts<"businessId" | "name" | "slug" | "timezone"> &
  Numbers<"requestsPerMinute" | "writesPerMinute" | "apiAccess"> &
  Readonly<Record<"expiresAt" | "revokedAt" | "dailyLimit", number | null>>;

export type PeerQueue = Texts<"id" | "businessId" | "tokenSeries"> &
  Numbers<"isActive" | "isPaused">;

export type PeerService = Texts<"id" | "businessId"> &
  Numbers<"active"> & { readonly minutes: number | null };

/** The windows of a key, or the failed sign-ins of an address. */
export type PeerWindows = Texts<"id"> & Numbers<"startedAt" | "requests" | "writes">;

/** An entry with its idempotency key and the JSON of the answer to its creation. */
export type PeerEntry = Texts<"id" | "businessId" | "queueId" | "date" | "tokenSeries"> &
  Numbers<"tokenNumber" | "sequenceInDay" | "priority" | "issuedAt"> & {
    readonly status: EntryStatus;
  } & Readonly<
    Record<"serviceId" | "customerName" | "customerPhone" | "key" | "fingerprint", string | null>
  > &
  Readonly<Record<"workMinutes" | "startedAt" | "completedAt" | "canceledAt", number | null>> & {
    readonly receipt: string | null;
  };

export type PeerAudit = Texts<"id" | "businessId" | "keyId" | "method" | "path" | "ip"> &
  Numbers<"at" | "status">;

export interface Tables {
  readonly keys: PeerKey;
  readonly queues: PeerQueue;
  readonly services: PeerService;
  readonly windows: PeerWindows;
  readonly entries: PeerEntry;
  readonly audit: PeerAudit;
}

/** The columns of each table: an id, and texts and numbers that must be there or (`?`) may be null or empty. */
export const columns: Readonly<Record<keyof Tables, readonly string[]>> = {
  keys: [
    ...["id", "secretHash TEXT", "keyName TEXT", "scopes TEXT", "allowIps TEXT?"],
    ...["expiresAt INTEGER?", "revokedAt INTEGER?", "requestsPerMinute INTEGER"],
    ...["writesPerMinute INTEGER", "businessId TEXT", "name TEXT", "slug TEXT", "timezone TEXT"],
    ...["apiAccess INTEGER", "dailyLimit INTEGER?"],
  ],
  queues: ["id", "businessId TEXT", "tokenSeries TEXT", "isActive INTEGER", "isPaused INTEGER"],
  services: ["id", "businessId TEXT", "minutes INTEGER?", "active INTEGER"],
  windows: ["id", "startedAt INTEGER", "requests INTEGER", "writes INTEGER"],
  entries: [
    ...["id", "businessId TEXT", "queueId TEXT", "date TEXT", "tokenSeries TEXT"],
    ...["tokenNumber INTEGER", "sequenceInDay INTEGER", "status TEXT", "priority INTEGER"],
    ...["serviceId TEXT?", "workMinutes INTEGER?", "customerName TEXT?", "customerPhone TEXT?"],
    ...["issuedAt INTEGER", "startedAt INTEGER?", "completedAt INTEGER?", "canceledAt INTEGER?"],
    ...["key TEXT?", "fingerprint TEXT?", "receipt TEXT?"],
  ],
  audit: [
    ...["id", "businessId TEXT", "keyId TEXT", "at INTEGER", "method TEXT", "path TEXT"],
    ...["status INTEGER", "ip TEXT"],
  ],
};

export const namesOf = (table: keyof Tables) =>
  columns[table].map((column) => column.split(" ", 1)[0] as string);

type Day = Pick<PeerEntry, "businessId" | "date" | "queueId">;

/** The entries of a queue's day that are alike; `before` counts those below a number. */
export interface PeerGroup {
  readonly status: EntryStatus;
  readonly priority: number;
  readonly workMinutes: number | null;
  readonly entries: number;
  readonly before: number;
  readonly finishedMs: number;
}

export interface PeerDatabase {
  find<T extends keyof Tables>(table: T, where: Partial<Tables[T]>): Promise<Tables[T] | null>;
  /** Entries in the order of their numbers. */
  page(where: Partial<PeerEntry>, after: number, limit: number): Promise<PeerEntry[]>;
  groups(day: Day, number: number): Promise<PeerGroup[]>;
  last(day: Day): Promise<{ readonly number: number; readonly sequence: number }>;
  /** Changes windows that still are as they were read. */
  charge(before: PeerWindows, after: PeerWindows): Promise<boolean>;
  /** Adds a record, an entry with its audit row. False if a unique index has its values. */
  insert<T extends keyof Tables>(table: T, record: Tables[T], audit?: PeerAudit): Promise<boolean>;
}
