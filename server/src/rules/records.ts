import { appointmentStatuses, entryStatuses, scopes } from "@queue-api/contract";
import {
  flag,
  json,
  list,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  type RecordOf,
  text,
} from "./fields.js";

/*
 * The records of the service, as plain data. Instants are milliseconds since 1970 in UTC, days are
 * `YYYY-MM-DD` in the business's time zone. The types and the tables of both databases follow from these fields.
 */

/** How often a record was changed. A change that was decided on one revision is refused on another. */
const revision = number;

export const business = {
  id: text,
  slug: text,
  name: text,
  category: orNull(text),
  /** IANA name; null means UTC. */
  timezone: orNull(text),
  /** Whether the business may use the API. */
  apiAccess: flag,
  /** Tokens that may be created on one business day; null for no limit. */
  dailyTokenLimit: orNull(number),
  /**
   * Whether it is a sandbox. A sandbox has no real customers, so a simulation may issue, call and complete
   * its entries.
   */
  sandbox: flag,
  /** The board marks waits of at least this many minutes as long; null for never. */
  longWaitMinutes: orNull(number),
  /** SHA-256 of the token in the link to the waiting-room display, in hex; null when there is no link. */
  displayHash: orNull(text),
  /** What the waiting-room display shows: `theme`, `size` and each `queue`, as a query. Empty for the defaults. */
  displayQuery: text,
};

export type Business = RecordOf<typeof business>;

export const apiKey = {
  id: text,
  businessId: text,
  name: text,
  /** The owner, or the demo, which prints a key at each start and revokes its own keys only. */
  purpose: oneOf(["owner", "demo"]),
  /** SHA-256 of the secret, in hex. The secret itself is not stored. */
  secretHash: text,
  scopes: listOf(oneOf(scopes)),
  /** IPv4 addresses, IPv4 ranges and exact IPv6 addresses; empty allows every address. */
  allowIps: listOf(text),
  requestsPerMinute: number,
  writesPerMinute: number,
  createdAt: number,
  expiresAt: orNull(number),
  revokedAt: orNull(number),
  revision,
};

export type ApiKey = RecordOf<typeof apiKey>;
export type KeyPurpose = ApiKey["purpose"];

/**
 * The permissions of an account in the dashboard: staff serve customers; owners also see keys, accounts and
 * settings.
 */
export type AccountRole = (typeof accountRoles)[number];

export const accountRoles = ["owner", "staff"] as const;

/** A link that sets the password of an account once. */
const passwordLink = {
  /** SHA-256 of the link's token, in hex. The token itself is not stored. */
  tokenHash: text,
  expiresAt: number,
};

export type PasswordLink = RecordOf<typeof passwordLink>;

/** A person who may sign in to the dashboard of one business. */
export const account = {
  id: text,
  businessId: text,
  /** In normal form (see `normalEmail`). Unique in the business; another business may have the same one. */
  email: text,
  /** In PHC format, with its parameters. Null until a password was set. */
  passwordHash: orNull(text),
  /** The link that was not used yet; null if there is none. It may have expired. */
  link: orNull(object(passwordLink)),
  role: oneOf(accountRoles),
  createdAt: number,
  /** The number of times that all of its sessions were ended. A session with another number has ended. */
  generation: number,
};

export type Account = RecordOf<typeof account>;

/** A sign-in to an account, from one browser. */
export interface AccountSession {
  /** SHA-256 of the session's token, in hex. The token itself is not stored. */
  readonly tokenHash: string;
  readonly accountId: string;
  readonly businessId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A key with its last use, as the dashboard shows it. */
export interface KeyWithLastUse extends ApiKey {
  /** The start of the last window in which it was admitted; null if it never was. */
  readonly lastUsedAt: number | null;
}

export const queue = {
  id: text,
  businessId: text,
  name: text,
  /** The letters before the number on each token of this queue. */
  tokenSeries: text,
  isActive: flag,
  isTokenCreationPaused: flag,
  revision,
};

export type Queue = RecordOf<typeof queue>;

export const service = {
  id: text,
  businessId: text,
  name: text,
  price: orNull(number),
  baseTimeMinutes: orNull(number),
  active: flag,
  revision,
};

export type Service = RecordOf<typeof service>;

/** The person of an entry or an appointment. */
const customer = {
  customerName: orNull(text),
  /** Digits only. */
  customerPhone: orNull(text),
  /** Whether the phone number was given with a leading `+`. The dashboard then shows it. */
  phoneIsInternational: flag,
};

export type Customer = RecordOf<typeof customer>;

/** The fields of the token of an entry. Undo of a transfer returns to them. */
const token = {
  queueId: text,
  tokenSeries: text,
  tokenNumber: number,
  status: oneOf(entryStatuses),
  startedAt: orNull(number),
  /** How often it was called. */
  calls: number,
  /** Name of the counter that called it last; null if none was named or the entry waits. */
  counter: orNull(text),
};

/** A token in a queue that a person left. Its number is never given again. */
const earlierToken = {
  ...token,
  /** The revision of the entry after it left. Undo is possible while the entry has it. */
  leftAtRevision: number,
};

export type EarlierToken = RecordOf<typeof earlierToken>;

export const entry = {
  ...customer,
  ...token,
  id: text,
  businessId: text,
  /** The business day it was issued on. */
  date: text,
  priority: flag,
  serviceId: orNull(text),
  /** The service's base time when the entry was issued; null when there is none. */
  workMinutes: orNull(number),
  /** When the person got their first token. A transfer to another queue does not change it. */
  issuedAt: number,
  completedAt: orNull(number),
  canceledAt: orNull(number),
  revision,
  /** When it was called again last; null if it never was. */
  calledAgainAt: orNull(number),
  /**
   * Its sequence among the entries of the business on its day: the first is 1. It is unique, and the daily limit
   * is compared with it.
   */
  sequenceInDay: number,
  /** The tokens that the person left at each transfer to another queue, oldest first. */
  earlierTokens: list(earlierToken),
  /** The appointment that its person came for; null if there is none. No other entry has it. */
  appointmentId: orNull(text),
};

export type Entry = RecordOf<typeof entry>;

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
export const entryKey = {
  /** An `Idempotency-Key`, or a name like `form:x1`, which cannot be one because of its colon. */
  key: text,
  /** A hash of the request; see `fingerprint`. */
  fingerprint: text,
  /** Its fields are not checked, which would take half the time of an insert. */
  receipt: json<Receipt>(),
  /** From this time on the key is free. */
  keptUntil: number,
};

export type EntryKey = RecordOf<typeof entryKey>;

export const appointment = {
  ...customer,
  id: text,
  businessId: text,
  date: text,
  slotTime: text,
  durationMinutes: number,
  status: oneOf(appointmentStatuses),
  serviceId: orNull(text),
  /** For the business only; never part of a response. */
  notes: orNull(text),
  revision,
};

export type Appointment = RecordOf<typeof appointment>;

/** The number of requests that one row of the audit log adds up. */
const auditSum = {
  count: number,
  /** The time of the last of them. */
  lastAt: number,
};

export type AuditSum = RecordOf<typeof auditSum>;

/**
 * A request with a valid key, a change in the dashboard, or a sum of refused requests. A sum has the time of
 * its first request, and the method, path, address and request id of its last one. Never contains a body or a
 * key.
 */
export const auditRow = {
  businessId: text,
  /** The key of the request, or the account of a change in the dashboard. */
  keyId: text,
  /** E-mail address of the account at that time; null for a request with a key. */
  account: orNull(text),
  at: number,
  method: text,
  /**
   * Path without the query. For a change on the board, and for a switch in the dashboard, the page of what is changed, and
   * the change.
   */
  path: text,
  status: number,
  ip: text,
  requestId: text,
  /** Null for a row that records one request. */
  sum: orNull(object(auditSum)),
};

export type AuditRow = RecordOf<typeof auditRow>;
