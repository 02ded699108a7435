/*
 * What the peer stores. A record is flat, so that both engines store it as it is: a boolean is 0 or 1.
 */

/**
 * The columns of each table: an id, and texts and numbers that must be there or (`?`) may be null. A key is with its
 * business, windows are of a key or an address, and an entry has the JSON of the answer to its creation.
 */
export const columns = {
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
} as const;

type Name<Column> = Column extends `${infer Name} ${string}` ? Name : Column;
type Value<Column> =
  | (Column extends `${string} INTEGER${string}` ? number : string)
  | (Column extends `${string}?` ? null : never);

export type Tables = {
  readonly [Table in keyof typeof columns]: {
    readonly [Column in (typeof columns)[Table][number] as Name<Column>]: Value<Column>;
  };
};
export type PeerKey = Tables["keys"];
export type PeerWindows = Tables["windows"];
export type PeerEntry = Tables["entries"];
export type PeerAudit = Tables["audit"];

export const namesOf = (table: keyof Tables) =>
  columns[table].map((column: string) => column.split(" ", 1)[0] as string);

type Day = Pick<PeerEntry, "businessId" | "date" | "queueId">;

/** The entries of a queue's day that are alike; `before` counts those below a number. */
export interface PeerGroup {
  readonly status: string;
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
