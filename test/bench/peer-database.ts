import type { EntryStatus } from "@queue-api/contract";

/*
 * What the peer stores. A record is flat, so that both engines store it as it is: a boolean is 0 or 1.
 */

type Texts<Name extends string> = Readonly<Record<Name, string>>;
type Numbers<Name extends string> = Readonly<Record<Name, number>>;
type NumbersOrNull<Name extends string> = Readonly<Record<Name, number | null>>;

/** A key with the resource `Me` as JSON. Addresses are separated by blanks. */
export type PeerKey = Texts<"id" | "businessId" | "secretHash" | "allowIps" | "me"> &
  Numbers<"apiAccess"> &
  NumbersOrNull<"expiresAt" | "revokedAt" | "dailyLimit">;

export type PeerQueue = Texts<"id" | "businessId" | "tokenSeries"> &
  Numbers<"isActive" | "isPaused">;

export type PeerService = Texts<"id" | "businessId"> & Numbers<"active"> & NumbersOrNull<"minutes">;

/** The windows of a key, or the failed sign-ins of an address. */
export type PeerWindows = Texts<"id"> & Numbers<"startedAt" | "requests" | "writes">;

/** An entry: what is searched and counted, and the resource as JSON, as it was when the entry was created. */
export type PeerEntry = Texts<"id" | "businessId" | "queueId" | "date" | "resource"> &
  Numbers<"tokenNumber" | "placeInDay" | "priority"> &
  NumbersOrNull<"workMinutes" | "startedAt" | "completedAt"> &
  Readonly<Record<"key" | "fingerprint", string | null>> & { readonly status: EntryStatus };

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

type Day = Pick<PeerEntry, "businessId" | "date" | "queueId">;

/** The entries of a queue's day that are alike; `before` counts those below a number. */
export type PeerGroup = Pick<PeerEntry, "status" | "priority" | "workMinutes"> &
  Numbers<"entries" | "before" | "finishedMs">;

/** What an engine provides. */
export interface PeerDatabase {
  find<T extends keyof Tables>(table: T, where: Partial<Tables[T]>): Promise<Tables[T] | null>;
  /** Entries in the order of their numbers. */
  page(where: Partial<PeerEntry>, after: number, limit: number): Promise<PeerEntry[]>;
  groups(day: Day, number: number): Promise<PeerGroup[]>;
  last(day: Day): Promise<{ readonly number: number; readonly place: number }>;
  /** Changes windows that still are as they were read. */
  charge(before: PeerWindows, after: PeerWindows): Promise<boolean>;
  /** Adds a record, an entry with its audit row. False if a unique index has its values. */
  insert<T extends keyof Tables>(table: T, record: Tables[T], audit?: PeerAudit): Promise<boolean>;
}
