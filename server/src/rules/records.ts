import type { Appointment as AppointmentResource, EntryStatus, Scope } from "@queue-api/contract";

/*
 * The records of the service, as plain data. Instants are milliseconds since 1970 in UTC, days are
 * `YYYY-MM-DD` in the business's time zone.
 */

/** How often a record was changed. A change that was decided on one revision is refused on another. */
type Revision = number;

export interface Business {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly category: string | null;
  /** IANA name; null means UTC. */
  readonly timezone: string | null;
  /** Whether the business may use the API. */
  readonly apiAccess: boolean;
  /** Tokens that may be created on one business day; null for no limit. */
  readonly dailyTokenLimit: number | null;
  /**
   * Whether it is a sandbox. A sandbox has no real customers, so a simulation may issue, call and complete
   * its entries.
   */
  readonly sandbox: boolean;
  /** The board marks waits of at least this many minutes as long; null for never. */
  readonly longWaitMinutes: number | null;
  /** SHA-256 of the token in the link to the waiting-room display, in hex; null when there is no link. */
  readonly displayHash: string | null;
  /** What the waiting-room display shows: `theme`, `size` and each `queue`, as a query. Empty for the defaults. */
  readonly displayQuery: string;
}

/** The purpose of a key: the owner, or the demo, which prints a key at each start and revokes its own keys only. */
export type KeyPurpose = "owner" | "demo";

export interface ApiKey {
  readonly id: string;
  readonly businessId: string;
  readonly name: string;
  readonly purpose: KeyPurpose;
  /** SHA-256 of the secret, in hex. The secret itself is not stored. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  /** IPv4 addresses, IPv4 ranges and exact IPv6 addresses; empty allows every address. */
  readonly allowIps: readonly string[];
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly revision: Revision;
}

/**
 * The permissions of an account in the dashboard: staff serve customers; owners also see keys, accounts and
 * settings.
 */
export type AccountRole = (typeof accountRoles)[number];

export const accountRoles = ["owner", "staff"] as const;

/** A person who may sign in to the dashboard of one business. */
export interface Account {
  readonly id: string;
  readonly businessId: string;
  /** In normal form (see `normalEmail`). Unique in the business; another business may have the same one. */
  readonly email: string;
  /** In PHC format, with its parameters. Null until a password was set. */
  readonly passwordHash: string | null;
  /** The link that was not used yet; null if there is none. It may have expired. */
  readonly link: PasswordLink | null;
  readonly role: AccountRole;
  readonly createdAt: number;
  /** The number of times that all of its sessions were ended. A session with another number has ended. */
  readonly generation: number;
}

/** A sign-in to an account, from one browser. */
export interface AccountSession {
  /** SHA-256 of the session's token, in hex. The token itself is not stored. */
  readonly tokenHash: string;
  readonly accountId: string;
  readonly businessId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A link that sets the password of an account once. */
export interface PasswordLink {
  /** SHA-256 of the link's token, in hex. The token itself is not stored. */
  readonly tokenHash: string;
  readonly expiresAt: number;
}

/** A key with its last use, as the dashboard shows it. */
export interface KeyWithLastUse extends ApiKey {
  /** The start of the last window in which it was admitted; null if it never was. */
  readonly lastUsedAt: number | null;
}

export interface Queue {
  readonly id: string;
  readonly businessId: string;
  readonly name: string;
  /** The letters before the number on each token of this queue. */
  readonly tokenSeries: string;
  readonly isActive: boolean;
  readonly isTokenCreationPaused: boolean;
  readonly revision: Revision;
}

export interface Service {
  readonly id: string;
  readonly businessId: string;
  readonly name: string;
  readonly price: number | null;
  readonly baseTimeMinutes: number | null;
  readonly active: boolean;
  readonly revision: Revision;
}

/** The person of an entry or an appointment. */
export interface Customer {
  readonly customerName: string | null;
  /** Digits only. */
  readonly customerPhone: string | null;
  /** Whether the phone number was given with a leading `+`. The dashboard then shows it. */
  readonly phoneIsInternational: boolean;
}

export interface Entry extends Customer {
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
  /** When the person got their first token. A transfer to another queue does not change it. */
  readonly issuedAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly canceledAt: number | null;
  readonly revision: Revision;
  /** How often it was called. */
  readonly calls: number;
  /** When it was called again last; null if it never was. */
  readonly calledAgainAt: number | null;
  /** Name of the counter that called it last; null if none was named or the entry waits. */
  readonly counter: string | null;
  /**
   * Its sequence among the entries of the business on its day: the first is 1. It is unique, and the daily limit
   * is compared with it.
   */
  readonly sequenceInDay: number;
  /** The tokens that the person left at each transfer to another queue, oldest first. */
  readonly earlierTokens: readonly EarlierToken[];
  /** The appointment that its person came for; null if there is none. No other entry has it. */
  readonly appointmentId: string | null;
}

/**
 * A token in a queue that a person left. Its number is never given again. Undo returns to the fields of the entry with
 * that token.
 */
export interface EarlierToken
  extends Pick<
    Entry,
    "queueId" | "tokenSeries" | "tokenNumber" | "status" | "startedAt" | "calls" | "counter"
  > {
  /** The revision of the entry after it left. Undo is possible while the entry has it. */
  readonly leftAtRevision: number;
}

/** An entry with its place in the line while it waits. */
export interface EntryInLine {
  readonly entry: Entry;
  /** Null unless the entry is waiting. */
  readonly line: { readonly ahead: Ahead; readonly pace: LinePace } | null;
}

/** The entries that wait before an entry, and their work. */
export interface Ahead {
  /** The number of entries. */
  readonly people: number;
  /** Total minutes of the entries whose work is known. */
  readonly knownMinutes: number;
  /** The number of entries whose work is unknown. */
  readonly unknown: number;
}

/** The pace of a queue on one day. */
export interface LinePace {
  /** Entries in service now. */
  readonly inService: number;
  /** Entries finished on that day, and their total duration in milliseconds. */
  readonly finished: number;
  readonly finishedMs: number;
}

/** What a creation returned. A replay returns the same, whatever happened to the entry since. */
export interface Receipt extends EntryInLine {
  /** The URL of the entry; null if the creation was not an API request. */
  readonly location: string | null;
}

/** The idempotency key of the request that issued an entry. It is part of the entry. */
export interface EntryKey {
  /** An `Idempotency-Key`, or a name like `form:x1`, which cannot be one because of its colon. */
  readonly key: string;
  /** A hash of the request; see `fingerprint`. */
  readonly fingerprint: string;
  readonly receipt: Receipt;
  /** From this time on the key is free. */
  readonly keptUntil: number;
}

export interface Appointment extends Customer, Omit<AppointmentResource, "customer"> {
  readonly businessId: string;
  /** For the business only; never part of a response. */
  readonly notes: string | null;
  readonly revision: Revision;
}

/** The number of requests that one row of the audit log adds up. */
export interface AuditSum {
  readonly count: number;
  /** The time of the last of them. */
  readonly lastAt: number;
}

/**
 * A request with a valid key, a change in the dashboard, or a sum of refused requests. A sum has the time of
 * its first request, and the method, path, address and request id of its last one. Never contains a body or a
 * key.
 */
export interface AuditRow {
  readonly businessId: string;
  /** The key of the request, or the account of a change in the dashboard. */
  readonly keyId: string;
  /** E-mail address of the account at that time; null for a request with a key. */
  readonly account: string | null;
  readonly at: number;
  readonly method: string;
  /**
   * Path without the query. For a change on the board, and for a switch in the dashboard, the page of what is changed, and
   * the change.
   */
  readonly path: string;
  readonly status: number;
  readonly ip: string;
  readonly requestId: string;
  /** Null for a row that records one request. */
  readonly sum: AuditSum | null;
}
