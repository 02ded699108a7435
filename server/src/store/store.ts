import type { EntryStatus } from "@queue-api/contract";
import type { Admission, Attempt } from "../rules/admission.js";
import type { AuditFilter } from "../rules/audit.js";
import type { Claim, ClaimOutcome, ClaimRequest } from "../rules/idempotency.js";
import type { IssueRefusal } from "../rules/issue.js";
import type { Ahead, LinePace, Work } from "../rules/line.js";
import type { ZoneDayLoad } from "../rules/lines-load.js";
import type {
  ApiKey,
  Appointment,
  AuditRow,
  Business,
  Entry,
  KeyInUse,
  Owner,
  OwnerSession,
  PasswordLink,
  Queue,
  Service,
  StoredAnswer,
} from "../rules/records.js";
import type { SignInAdmission, SignInAttempt } from "../rules/sign-in.js";
import type { EntryTimes } from "../rules/statistics.js";
import type { Move } from "../rules/transitions.js";
import type { WindowReport } from "../rules/window.js";
import type { Kept, Kind } from "./kept.js";

/*
 * The port between the service and its database. Each operation is one atomic step with a name from
 * the domain. An operation on a business's data takes the business id first, so that a query that
 * is not scoped cannot be written. An adapter holds no rule: where a step depends on a decision, it
 * calls the pure function in `rules/` with the facts that it read, inside the step.
 *
 * Windows, leases and expiry go by the store's own clock; everything else is handed its time.
 */

/** An entry and, while it waits, who stands before it. */
export interface EntryInLine {
  readonly entry: Entry;
  /** Null unless the entry is waiting. */
  readonly line: { readonly ahead: Ahead; readonly pace: LinePace } | null;
}

export type StatusCounts = Readonly<Record<EntryStatus, number>>;

/** One queue on one day. */
export interface QueueDay {
  readonly queue: Queue;
  readonly counts: StatusCounts;
  readonly pace: LinePace;
  /** The work of everybody waiting, in the order in which they will be called. */
  readonly waiting: readonly Work[];
}

/** A queue on one day, as those who serve at it see it. */
export interface QueueOnBoard extends QueueDay {
  /** Those being served, in the order in which they were called. */
  readonly inService: readonly Entry[];
  /** Those waiting, in the order in which they will be called; perhaps the first of them only. */
  readonly line: readonly Entry[];
}

/** What a business does on one day, queue by queue. */
export interface Board {
  /** As `boardVersion` told it when, or just before, the rest was read. */
  readonly version: string;
  readonly services: readonly Service[];
  readonly queues: readonly QueueOnBoard[];
}

/** Which part of a day's lines a board shows. */
export interface BoardRequest {
  /** How many of those waiting in each queue. */
  readonly limit: number;
  /** A queue of which everybody waiting is wanted, or null. */
  readonly wholeLine: string | null;
}

/** Which part of a list to read. */
export interface PageRequest {
  readonly limit: number;
  /** Id of the last item of the page before; null for the first page. */
  readonly after: string | null;
}

/** A page; `more` says whether anything follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

/** Part of the audit log. */
export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** Where to go on; opaque. Null when nothing older is there. */
  readonly next: string | null;
}

/** Days from the first to the last, both included. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

export type AddKeyOutcome = "added" | "exists" | "too_many_active";

/** What of a key can be changed; what is absent stays as it is. */
export type KeyChange = Partial<
  Pick<ApiKey, "name" | "allowIps" | "requestsPerMinute" | "writesPerMinute">
>;

/** What of a queue can be changed. A token keeps the letters it was issued with. */
export type QueueChange = Partial<Omit<Queue, "id" | "businessId">>;

/** What of a service can be changed. A token keeps the work it was issued with. */
export type ServiceChange = Partial<Omit<Service, "id" | "businessId">>;

/** What of an appointment can be changed. */
export type AppointmentChange = Partial<Omit<Appointment, "id" | "businessId">>;

/** A token to be issued. */
export interface IssueRequest {
  /** Id of the new entry. */
  readonly id: string;
  readonly queueId: string;
  /** The business day it belongs to. */
  readonly date: string;
  readonly dailyTokenLimit: number | null;
  readonly serviceId: string | null;
  readonly customerName: string | null;
  readonly customerPhone: string | null;
  readonly priority: boolean;
  readonly issuedAt: number;
  /** The idempotency key that this creation holds, if it came with one. */
  readonly claim: Claim | null;
  /** Makes the answer that is stored under the claim, and sent. */
  readonly answer: (issued: EntryInLine) => StoredAnswer;
  /** Kept in the same step as the entry. Null for a creation that is not a request. */
  readonly audit: AuditRow | null;
}

export type IssueOutcome =
  | { readonly outcome: "issued"; readonly answer: StoredAnswer }
  | { readonly outcome: IssueRefusal }
  /** Another request took the key over and finished; its answer is the answer. */
  | { readonly outcome: "replay"; readonly answer: StoredAnswer };

export type MoveOutcome =
  | { readonly outcome: "moved"; readonly entry: Entry }
  | { readonly outcome: "not_found" }
  | { readonly outcome: "invalid_state"; readonly status: EntryStatus };

/** A business with all that belongs to it, as the seed file describes it. Parts may be lazy and long. */
export interface BusinessImport {
  readonly business: Business;
  readonly keys: readonly ApiKey[];
  readonly services: readonly Service[];
  readonly queues: readonly Queue[];
  readonly entries: Iterable<Entry>;
  readonly appointments: Iterable<Appointment>;
}

export interface ImportOptions {
  /** Whether a business whose slug exists is replaced, with all that belonged to it. */
  readonly replace: boolean;
  /** Called now and then with the number of entries and appointments written so far. */
  readonly onProgress?: (written: number) => void;
}

export type ImportOutcome =
  | { readonly outcome: "imported" }
  | { readonly outcome: "slug_exists"; readonly slug: string };

/** Who is signed in, and where. */
export interface SignedIn {
  readonly owner: Owner;
  readonly business: Business;
  /** When the session ends by itself. */
  readonly expiresAt: number;
}

/** An owner's password, as its hash, before and after they changed it. */
export interface PasswordChange {
  readonly from: string;
  readonly to: string;
}

/** How much was removed. */
export interface PruneReport {
  readonly auditRows: number;
  readonly idempotencyRecords: number;
  readonly windows: number;
  /** Sessions of owners. */
  readonly sessions: number;
  readonly passwordLinks: number;
}

export interface Store {
  // ── The door

  /**
   * Reads the key, its business, the address's window and the key's windows, decides by
   * `decideAdmission`, and keeps the windows it returns.
   */
  admit(attempt: Attempt): Promise<Admission>;

  /** The window of failed sign-ins of an address, for answers that no key is known for. */
  signInWindow(subject: string): Promise<WindowReport>;

  // ── Reading

  services(businessId: string): Promise<readonly Service[]>;
  /** In the order in which they were added. */
  queues(businessId: string): Promise<readonly Queue[]>;
  /** Null when the business has no such queue. */
  queueDay(businessId: string, queueId: string, date: string): Promise<QueueDay | null>;
  /** All queues of a business at once, with the people in them. */
  board(businessId: string, date: string, request: BoardRequest): Promise<Board>;
  /**
   * Something that differs whenever what `board` tells of that day has changed since, whichever process
   * changed it, and is told in one cheap step. May differ where nothing changed, but not by itself.
   */
  boardVersion(businessId: string, date: string): Promise<string>;
  /** A day's entries in token order. The cursor must be an entry of that queue and day, in whatever state. */
  entriesPage(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    page: PageRequest,
  ): Promise<Page<EntryInLine> | "queue_not_found" | "cursor_unknown">;
  entry(businessId: string, entryId: string): Promise<EntryInLine | null>;
  /** A day's appointments by slot time, then id. */
  appointmentsPage(
    businessId: string,
    date: string,
    page: PageRequest,
  ): Promise<Page<Appointment> | "cursor_unknown">;
  appointment(businessId: string, appointmentId: string): Promise<Appointment | null>;

  // ── Writing

  /** Decides by `decideClaim` and keeps the claim. */
  claimIdempotencyKey(businessId: string, request: ClaimRequest): Promise<ClaimOutcome>;
  /** Frees a key whose request was refused. Does nothing when the claim is no longer its owner's. */
  releaseIdempotencyKey(businessId: string, claim: Claim): Promise<void>;
  /**
   * Lets the next request take a key over at once, after a failure that leaves open whether the token
   * was issued. The claim id stays, so that a token which was issued is found. Does nothing when the
   * claim is no longer its owner's, or finished.
   */
  endIdempotencyLease(businessId: string, claim: Claim): Promise<void>;
  /**
   * Issues a token: decides by `refuseIssue`, gives the next number of that queue and day, and keeps
   * entry, audit row and stored answer. An entry that carries the claim's id already is the result.
   */
  issueToken(businessId: string, request: IssueRequest): Promise<IssueOutcome>;
  /** Moves an entry on by `moved`, and keeps the audit row if it moved. */
  moveEntry(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    audit: AuditRow | null,
  ): Promise<MoveOutcome>;
  /** Keeps audit rows, in order. */
  appendAudit(rows: readonly AuditRow[]): Promise<void>;

  // ── The owner's side

  businesses(): Promise<readonly Business[]>;
  businessBySlug(slug: string): Promise<Business | null>;
  /** The business that a key, queue, entry or appointment belongs to, or null. */
  businessIdOf(kind: "key" | "queue" | "entry" | "appointment", id: string): Promise<string | null>;
  setApiAccess(businessId: string, on: boolean): Promise<void>;
  setDailyTokenLimit(businessId: string, limit: number | null): Promise<void>;
  setSandbox(businessId: string, on: boolean): Promise<void>;
  /** Adds a key unless one has its id, or the business has its full number of active ones. */
  addKey(businessId: string, key: ApiKey): Promise<AddKeyOutcome>;
  /** In the order in which they were made. */
  keys(businessId: string): Promise<readonly KeyInUse[]>;
  /** From the next request on. False when the business has no such key. */
  changeKey(businessId: string, keyId: string, change: KeyChange): Promise<boolean>;
  /** False when the business has no such key. Revoking twice keeps the first time. */
  revokeKey(businessId: string, keyId: string, now: number): Promise<boolean>;
  addQueue(businessId: string, queue: Queue): Promise<void>;
  /** Null when the business has no such queue. */
  changeQueue(businessId: string, queueId: string, change: QueueChange): Promise<Queue | null>;
  addService(businessId: string, service: Service): Promise<void>;
  /** Null when the business has no such service. */
  changeService(
    businessId: string,
    serviceId: string,
    change: ServiceChange,
  ): Promise<Service | null>;
  /** Gives a waiting entry priority, or takes it away, by `prioritized`. */
  setPriority(businessId: string, entryId: string, priority: boolean): Promise<MoveOutcome>;
  /** Calls an entry if it is at position 1 of its line. */
  callIfNext(
    businessId: string,
    entryId: string,
    now: number,
  ): Promise<MoveOutcome | { readonly outcome: "not_next" }>;
  /** Calls the person at position 1 of that day; null when nobody waits. */
  callNext(businessId: string, queueId: string, date: string, now: number): Promise<Entry | null>;
  addAppointment(businessId: string, appointment: Appointment): Promise<void>;
  /** Null when the business has no such appointment. */
  changeAppointment(
    businessId: string,
    appointmentId: string,
    change: AppointmentChange,
  ): Promise<Appointment | null>;
  /**
   * The rows asked for, newest first; of two with the same time the one that was kept later. One step
   * looks at a bounded part of the log: fewer rows than the limit, or none, may come with a `next`.
   */
  auditPage(
    businessId: string,
    filter: AuditFilter,
    page: PageRequest,
  ): Promise<AuditPage | "cursor_unknown">;
  /**
   * What statistics need of all entries of these days, of one queue or (null) of all, in no order. They
   * come some at a time: other work has its turn in between, and whoever stops reading ends the work.
   */
  entryTimes(
    businessId: string,
    days: DayRange,
    queueId: string | null,
  ): AsyncIterable<readonly EntryTimes[]>;
  /** Writes all of it or nothing. */
  importBusinesses(
    imports: readonly BusinessImport[],
    options: ImportOptions,
  ): Promise<ImportOutcome>;

  // ── Owner accounts

  /** Adds an owner, and the link by which to set a password. E-mail addresses are unique over all businesses. */
  addOwner(businessId: string, owner: Owner, link: PasswordLink): Promise<"added" | "email_taken">;
  /** In the order in which they were added. */
  owners(businessId: string): Promise<readonly Owner[]>;
  /** Removes an owner with their sessions and their link. False when the business has no such owner. */
  removeOwner(businessId: string, ownerId: string): Promise<boolean>;
  /** Gives an owner a new link; one that they had is worth nothing any more. False when there is no such owner. */
  replacePasswordLink(businessId: string, ownerId: string, link: PasswordLink): Promise<boolean>;
  /** Whose password a link sets; null when it was used, or has had its time. Does not use it. */
  passwordLinkOwner(linkTokenHash: string): Promise<Owner | null>;
  /**
   * Uses a link: sets its owner's password and ends all their sessions. Returns the owner as they are
   * now; null when the link was used, or has had its time.
   */
  setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null>;
  /**
   * Changes the password of an owner, ends all their sessions, and the link that they may have. False
   * when the password before it is theirs no more, or they are gone: then all stays as it was.
   */
  changePassword(businessId: string, ownerId: string, change: PasswordChange): Promise<boolean>;
  /** The owner with an e-mail address in normal form, whatever the business. */
  ownerByEmail(email: string): Promise<Owner | null>;
  /** Decides by `decideSignIn`, and keeps the windows it returns. */
  admitSignIn(attempt: SignInAttempt): Promise<SignInAdmission>;
  /** Takes back what an attempt was charged that succeeded; `chargedAt` is the time it was told. */
  forgiveSignIn(attempt: SignInAttempt, chargedAt: number): Promise<void>;
  /**
   * Begins a session for an owner whose password was found right, and ends their oldest one when they
   * have too many. False when that password is theirs no more, or they are gone: then nobody is signed in.
   */
  startSession(businessId: string, session: OwnerSession, passwordHash: string): Promise<boolean>;
  /** Whose session it is, in one round trip; null when it has ended. */
  sessionOwner(tokenHash: string): Promise<SignedIn | null>;
  endSession(tokenHash: string): Promise<void>;
  /** Ends all sessions of an owner. */
  endSessions(businessId: string, ownerId: string): Promise<void>;

  // ── Sight

  /**
   * How many people wait on these days, and since when, summed up over all businesses by time zone and
   * day. A zone and day on which nobody waits is left out; the order is none.
   */
  linesByDay(dates: readonly string[]): Promise<readonly ZoneDayLoad[]>;

  // ── Moving house

  /** Reads everything of one kind, some records at a time, for a copy. What has an order comes in it. */
  dump<K extends Kind>(kind: K): AsyncIterable<readonly Kept[K][]>;
  /**
   * Keeps records as another store dumped them; `offset` tells how many of that kind came before.
   * Loading the same again changes nothing, so a copy that was stopped can begin anew.
   */
  load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void>;
  /** Makes what was loaded ready for use. */
  endLoad(): Promise<void>;

  // ── Keeping house

  /** The store's time. */
  now(): Promise<number>;
  /** Fails when the database cannot answer. */
  ping(): Promise<void>;
  /** Removes what has had its time: audit rows, idempotency records, windows. At most some thousands at once. */
  prune(): Promise<PruneReport>;
  /** Lets pending steps finish, then lets go of the database. */
  close(): Promise<void>;
}
