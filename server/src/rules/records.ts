import type {
  Appointment as AppointmentAnswer,
  AppointmentStatus,
  EntryStatus,
  Scope,
} from "@queue-api/contract";

/*
 * What the service keeps, as plain data. Instants are milliseconds since 1970 in UTC, days are
 * `YYYY-MM-DD` in the business's time zone.
 */

export interface Business {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly category: string | null;
  /** IANA name; null means UTC. */
  readonly timezone: string | null;
  /** Whether the API may be used at all. */
  readonly apiAccess: boolean;
  /** Tokens that may be created on one business day; null for no limit. */
  readonly dailyTokenLimit: number | null;
  /** Whether it is a sandbox: it has no real customers, so a simulation may issue, call and complete its entries. */
  readonly sandbox: boolean;
  /** From how many minutes on the board marks a wait as long; null for never. */
  readonly longWaitMinutes: number | null;
  /** SHA-256 of the token in the link to the waiting-room display, in hex; null when there is no link. */
  readonly displayHash: string | null;
}

/**
 * The purpose of a key: the owner, the demo that prints one at each start, or a simulation. The last
 * two replace and revoke their own, and never an owner's.
 */
export type KeyPurpose = "owner" | "demo" | "simulation";

export interface ApiKey {
  readonly id: string;
  readonly businessId: string;
  readonly name: string;
  readonly purpose: KeyPurpose;
  /** SHA-256 of the secret, in hex. The secret itself is nowhere kept. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  /** IPv4 addresses, IPv4 ranges and exact IPv6 addresses; empty allows every address. */
  readonly allowIps: readonly string[];
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** What an account may do in the dashboard: staff serve people, owners see keys, accounts and settings too. */
export type AccountRole = (typeof accountRoles)[number];

export const accountRoles = ["owner", "staff"] as const;

/** A person who may sign in to the dashboard of one business. */
export interface Owner {
  readonly id: string;
  readonly businessId: string;
  /** In normal form (see `normalEmail`). Unique over all businesses: an account belongs to one business. */
  readonly email: string;
  /** In PHC format, with its parameters. Null until the owner has set a password. */
  readonly passwordHash: string | null;
  readonly role: AccountRole;
  readonly createdAt: number;
}

/** A sign-in of an owner, from one browser. */
export interface OwnerSession {
  /** SHA-256 of the session's token, in hex. The token itself is nowhere kept. */
  readonly tokenHash: string;
  readonly ownerId: string;
  readonly businessId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What lets an owner set a password, once. An owner has one at most. */
export interface PasswordLink {
  /** SHA-256 of the link's token, in hex. The token itself is nowhere kept. */
  readonly tokenHash: string;
  readonly ownerId: string;
  readonly expiresAt: number;
}

/** A key as its owner sees it. */
export interface KeyInUse extends ApiKey {
  /** When the last window in which it was admitted began; null when it never was. */
  readonly lastUsedAt: number | null;
}

export interface Queue {
  readonly id: string;
  readonly businessId: string;
  readonly name: string;
  /** Letters before the number on each token of this queue. */
  readonly tokenSeries: string;
  readonly isActive: boolean;
  readonly isTokenCreationPaused: boolean;
}

export interface Service {
  readonly id: string;
  readonly businessId: string;
  readonly name: string;
  readonly price: number | null;
  readonly baseTimeMinutes: number | null;
  readonly active: boolean;
}

export interface Entry {
  readonly id: string;
  readonly businessId: string;
  readonly queueId: string;
  /** The business day it was issued on. */
  readonly date: string;
  readonly tokenSeries: string;
  readonly tokenNumber: number;
  readonly status: EntryStatus;
  readonly priority: boolean;
  readonly serviceId: string | null;
  /** The service's base time when the entry was issued; null when there is none. */
  readonly workMinutes: number | null;
  readonly customerName: string | null;
  readonly customerPhone: string | null;
  readonly issuedAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly canceledAt: number | null;
  /** How often it was changed. A change that was decided on one revision is refused on another. */
  readonly revision: number;
  /** How often it was called. */
  readonly calls: number;
  /** Name of the counter that called it last; null when none was named, and while it waits. */
  readonly counter: string | null;
}

export interface Appointment extends Omit<AppointmentAnswer, "customer"> {
  readonly businessId: string;
  readonly status: AppointmentStatus;
  readonly customerName: string | null;
  readonly customerPhone: string | null;
  /** Kept for the business; never part of an answer. */
  readonly notes: string | null;
  /** The entry that the customer was given when they came; null before that. Never part of an answer. */
  readonly entryId: string | null;
}

/** How many requests a row of the audit log records together. */
export interface AuditSum {
  readonly count: number;
  /** When the last of them came. */
  readonly lastAt: number;
}

/**
 * An authenticated request, a change in the dashboard, or a sum of refused ones: of these, time is the first one's, and method, path,
 * address and request id are the last one's. Never holds a body or a key.
 */
export interface AuditRow {
  readonly businessId: string;
  /** The key of the request, or the account of a change in the dashboard. */
  readonly keyId: string;
  /** E-mail address of the account, as it was then; null for a request with a key. */
  readonly account: string | null;
  readonly at: number;
  readonly method: string;
  /** Path without the query. Of an act on the board: the page of the person, or the queue, and the act. */
  readonly path: string;
  readonly status: number;
  readonly ip: string;
  readonly requestId: string;
  /** Null for a request that is recorded by itself. */
  readonly sum: AuditSum | null;
}

/** The record of an Idempotency-Key of one business. */
export interface IdempotencyRecord {
  readonly key: string;
  readonly fingerprint: string;
  /** Carried by the entry that this key creates; unique among entries. */
  readonly claimId: string;
  /** The owner of the lease. */
  readonly owner: string;
  readonly leaseUntil: number;
  /** The receipt of what the key created (see `receiptOf`); null until the request succeeded. */
  readonly receipt: string | null;
  /** When the record expires. */
  readonly keptUntil: number;
}
