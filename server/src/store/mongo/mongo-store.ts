import type { EntryStatus } from "@queue-api/contract";
import type { Admission, Attempt } from "../../rules/admission.js";
import type { AuditFilter } from "../../rules/audit.js";
import type { Claim, ClaimOutcome, ClaimRequest } from "../../rules/idempotency.js";
import type { ZoneDayLoad } from "../../rules/lines-load.js";
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
} from "../../rules/records.js";
import type { SignInAdmission, SignInAttempt } from "../../rules/sign-in.js";
import type { EntryTimes } from "../../rules/statistics.js";
import type { Move } from "../../rules/transitions.js";
import type { WindowReport } from "../../rules/window.js";
import type { Dump, Kept, Kind } from "../kept.js";
import type {
  AddKeyOutcome,
  AppointmentChange,
  AuditPage,
  Board,
  BoardRequest,
  BusinessImport,
  DayRange,
  EntryInLine,
  ImportOptions,
  ImportOutcome,
  IssueOutcome,
  IssueRequest,
  KeyChange,
  MoveOutcome,
  Page,
  PageRequest,
  PasswordChange,
  PruneReport,
  QueueChange,
  QueueDay,
  ServiceChange,
  SignedIn,
  Store,
} from "../store.js";
import { Accounts } from "./accounts.js";
import { Appointments } from "./appointments.js";
import { Audit } from "./audit.js";
import { Boards } from "./boards.js";
import { Catalogue } from "./catalogue.js";
import { AuditOrder } from "./collections/audit.js";
import type { Database } from "./connection.js";
import { prepareDump } from "./dump.js";
import { Entries } from "./entries.js";
import { Gate } from "./gate.js";
import { Idempotency } from "./idempotency.js";
import { Importer } from "./import.js";
import { Keys } from "./keys.js";
import { Lines } from "./lines.js";
import { linesByDay } from "./lines-by-day.js";
import { Loader } from "./load.js";
import { Pruner } from "./prune.js";
import { Reports } from "./reports.js";
import { Statistics } from "./statistics.js";
import type { StoreTime } from "./time.js";
import { Tokens } from "./tokens.js";
import { reaching } from "./unavailable.js";
import { Writer } from "./writer.js";

/**
 * The store on MongoDB, for any number of instances at once. Each step is atomic because it commits by
 * one write to one document: no transaction, so a standalone server does, and a sharded cluster needs
 * none. Every step throws StoreUnavailableError when the database cannot be reached in time.
 */
export class MongoStore implements Store {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #writer: Writer;
  readonly #catalogue: Catalogue;
  readonly #gate: Gate;
  readonly #accounts: Accounts;
  readonly #entries: Entries;
  readonly #boards: Boards;
  readonly #appointments: Appointments;
  readonly #idempotency: Idempotency;
  readonly #tokens: Tokens;
  readonly #audit: Audit;
  readonly #keys: Keys;
  readonly #statistics: Statistics;
  readonly #importer: Importer;
  readonly #pruner: Pruner;
  readonly #dump: Dump;
  readonly #loader: Loader;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(db: Database, time: StoreTime) {
    this.#db = db;
    this.#time = time;
    const reports = new Reports();
    this.#writer = new Writer(db, time, reports);
    this.#catalogue = new Catalogue(db);
    this.#gate = new Gate(db, time, this.#catalogue);
    this.#accounts = new Accounts(db, time, this.#catalogue);
    const lines = new Lines(db, time, this.#writer, reports);
    this.#entries = new Entries(db, time, this.#catalogue, lines);
    this.#boards = new Boards(db, {
      time,
      catalogue: this.#catalogue,
      entries: this.#entries,
      lines,
    });
    this.#appointments = new Appointments(db);
    this.#idempotency = new Idempotency(db, time, this.#writer);
    const auditOrder = new AuditOrder();
    this.#audit = new Audit(db, time, auditOrder);
    this.#tokens = new Tokens(db, {
      time,
      catalogue: this.#catalogue,
      entries: this.#entries,
      lines,
      idempotency: this.#idempotency,
      auditOrder,
    });
    this.#keys = new Keys(db, time, this.#catalogue);
    this.#statistics = new Statistics(db, this.#catalogue);
    this.#importer = new Importer(db, time);
    this.#dump = prepareDump(db);
    this.#loader = new Loader(db, lines);
    this.#pruner = new Pruner(db, time, this.#catalogue, this.#importer);
  }

  admit(attempt: Attempt): Promise<Admission> {
    return this.#run(() => this.#gate.admit(attempt));
  }

  signInWindow(subject: string): Promise<WindowReport> {
    return this.#run(() => this.#gate.signInWindow(subject));
  }

  services(businessId: string): Promise<readonly Service[]> {
    return this.#run(() => this.#catalogue.services(businessId));
  }

  queues(businessId: string): Promise<readonly Queue[]> {
    return this.#run(() => this.#catalogue.queues(businessId));
  }

  queueDay(businessId: string, queueId: string, date: string): Promise<QueueDay | null> {
    return this.#run(() => this.#entries.queueDay(businessId, queueId, date));
  }

  board(businessId: string, date: string, request: BoardRequest): Promise<Board> {
    return this.#run(() => this.#boards.board(businessId, date, request));
  }

  boardVersion(businessId: string, date: string): Promise<string> {
    return this.#run(() => this.#boards.version(businessId, date));
  }

  entriesPage(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    page: PageRequest,
  ): Promise<Page<EntryInLine> | "queue_not_found" | "cursor_unknown"> {
    return this.#run(() => this.#entries.entriesPage(businessId, queueId, date, status, page));
  }

  entry(businessId: string, entryId: string): Promise<EntryInLine | null> {
    return this.#run(() => this.#entries.entry(businessId, entryId));
  }

  appointmentsPage(
    businessId: string,
    date: string,
    page: PageRequest,
  ): Promise<Page<Appointment> | "cursor_unknown"> {
    return this.#run(() => this.#appointments.appointmentsPage(businessId, date, page));
  }

  appointment(businessId: string, appointmentId: string): Promise<Appointment | null> {
    return this.#run(() => this.#appointments.appointment(businessId, appointmentId));
  }

  claimIdempotencyKey(businessId: string, request: ClaimRequest): Promise<ClaimOutcome> {
    return this.#run(() => this.#idempotency.claim(businessId, request));
  }

  releaseIdempotencyKey(businessId: string, claim: Claim): Promise<void> {
    return this.#run(() => this.#idempotency.release(businessId, claim));
  }

  endIdempotencyLease(businessId: string, claim: Claim): Promise<void> {
    return this.#run(() => this.#idempotency.endLease(businessId, claim));
  }

  issueToken(businessId: string, request: IssueRequest): Promise<IssueOutcome> {
    return this.#run(() => this.#tokens.issue(businessId, request));
  }

  moveEntry(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    audit: AuditRow | null,
  ): Promise<MoveOutcome> {
    return this.#run(() => this.#tokens.move(businessId, entryId, move, now, audit));
  }

  appendAudit(rows: readonly AuditRow[]): Promise<void> {
    return this.#run(() => this.#audit.append(rows));
  }

  businesses(): Promise<readonly Business[]> {
    return this.#run(() => this.#catalogue.businesses());
  }

  businessBySlug(slug: string): Promise<Business | null> {
    return this.#run(() => this.#catalogue.businessBySlug(slug));
  }

  businessIdOf(
    kind: "key" | "queue" | "entry" | "appointment",
    id: string,
  ): Promise<string | null> {
    return this.#run(() => this.#catalogue.businessIdOf(kind, id));
  }

  setApiAccess(businessId: string, apiAccess: boolean): Promise<void> {
    return this.#run(() => this.#catalogue.setBusiness(businessId, { apiAccess }));
  }

  setDailyTokenLimit(businessId: string, dailyTokenLimit: number | null): Promise<void> {
    return this.#run(() => this.#catalogue.setBusiness(businessId, { dailyTokenLimit }));
  }

  setSandbox(businessId: string, sandbox: boolean): Promise<void> {
    return this.#run(() => this.#catalogue.setBusiness(businessId, { sandbox }));
  }

  addKey(businessId: string, key: ApiKey): Promise<AddKeyOutcome> {
    return this.#run(() => this.#keys.add(businessId, key));
  }

  keys(businessId: string): Promise<readonly KeyInUse[]> {
    return this.#run(() => this.#keys.keys(businessId));
  }

  changeKey(businessId: string, keyId: string, change: KeyChange): Promise<boolean> {
    return this.#run(() => this.#keys.change(businessId, keyId, change));
  }

  revokeKey(businessId: string, keyId: string, now: number): Promise<boolean> {
    return this.#run(() => this.#keys.revoke(businessId, keyId, now));
  }

  addQueue(_businessId: string, queue: Queue): Promise<void> {
    return this.#run(() => this.#catalogue.addQueue(queue));
  }

  changeQueue(businessId: string, queueId: string, change: QueueChange): Promise<Queue | null> {
    return this.#run(() => this.#catalogue.changeQueue(businessId, queueId, change));
  }

  addService(_businessId: string, service: Service): Promise<void> {
    return this.#run(() => this.#catalogue.addService(service));
  }

  changeService(
    businessId: string,
    serviceId: string,
    change: ServiceChange,
  ): Promise<Service | null> {
    return this.#run(() => this.#catalogue.changeService(businessId, serviceId, change));
  }

  setPriority(businessId: string, entryId: string, priority: boolean): Promise<MoveOutcome> {
    return this.#run(() => this.#tokens.setPriority(businessId, entryId, priority));
  }

  callIfNext(
    businessId: string,
    entryId: string,
    now: number,
  ): Promise<MoveOutcome | { readonly outcome: "not_next" }> {
    return this.#run(() => this.#tokens.callIfNext(businessId, entryId, now));
  }

  callNext(businessId: string, queueId: string, date: string, now: number): Promise<Entry | null> {
    return this.#run(() => this.#tokens.callNext(businessId, queueId, date, now));
  }

  addAppointment(_businessId: string, appointment: Appointment): Promise<void> {
    return this.#run(() => this.#appointments.add(appointment));
  }

  changeAppointment(
    businessId: string,
    appointmentId: string,
    change: AppointmentChange,
  ): Promise<Appointment | null> {
    return this.#run(() => this.#appointments.change(businessId, appointmentId, change));
  }

  auditPage(
    businessId: string,
    filter: AuditFilter,
    page: PageRequest,
  ): Promise<AuditPage | "cursor_unknown"> {
    return this.#run(() => this.#audit.page(businessId, filter, page));
  }

  entryTimes(
    businessId: string,
    days: DayRange,
    queueId: string | null,
  ): AsyncIterable<readonly EntryTimes[]> {
    return this.#statistics.entryTimes(businessId, days, queueId);
  }

  importBusinesses(
    imports: readonly BusinessImport[],
    options: ImportOptions,
  ): Promise<ImportOutcome> {
    return this.#run(async () => {
      try {
        return await this.#importer.import(imports, options);
      } finally {
        // What was remembered may have been replaced.
        this.#catalogue.forgetAll();
        this.#idempotency.forget();
        this.#entries.forgetCursors();
        this.#appointments.forgetCursors();
      }
    });
  }

  addOwner(
    _businessId: string,
    owner: Owner,
    link: PasswordLink,
  ): Promise<"added" | "email_taken"> {
    return this.#run(() => this.#accounts.add(owner, link));
  }

  owners(businessId: string): Promise<readonly Owner[]> {
    return this.#run(() => this.#accounts.owners(businessId));
  }

  removeOwner(businessId: string, ownerId: string): Promise<boolean> {
    return this.#run(() => this.#accounts.remove(businessId, ownerId));
  }

  replacePasswordLink(businessId: string, ownerId: string, link: PasswordLink): Promise<boolean> {
    return this.#run(() => this.#accounts.replaceLink(businessId, ownerId, link));
  }

  passwordLinkOwner(linkTokenHash: string): Promise<Owner | null> {
    return this.#run(() => this.#accounts.linkOwner(linkTokenHash));
  }

  setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null> {
    return this.#run(() => this.#accounts.setPassword(linkTokenHash, passwordHash));
  }

  changePassword(businessId: string, ownerId: string, change: PasswordChange): Promise<boolean> {
    return this.#run(() => this.#accounts.changePassword(businessId, ownerId, change));
  }

  ownerByEmail(email: string): Promise<Owner | null> {
    return this.#run(() => this.#accounts.byEmail(email));
  }

  admitSignIn(attempt: SignInAttempt): Promise<SignInAdmission> {
    return this.#run(() => this.#accounts.admit(attempt));
  }

  forgiveSignIn(attempt: SignInAttempt, chargedAt: number): Promise<void> {
    return this.#run(() => this.#accounts.forgive(attempt, chargedAt));
  }

  startSession(businessId: string, session: OwnerSession, passwordHash: string): Promise<boolean> {
    return this.#run(() => this.#accounts.start(businessId, session, passwordHash));
  }

  sessionOwner(tokenHash: string): Promise<SignedIn | null> {
    return this.#run(() => this.#accounts.session(tokenHash));
  }

  endSession(tokenHash: string): Promise<void> {
    return this.#run(() => this.#accounts.end(tokenHash));
  }

  endSessions(businessId: string, ownerId: string): Promise<void> {
    return this.#run(() => this.#accounts.endAll(businessId, ownerId));
  }

  linesByDay(dates: readonly string[]): Promise<readonly ZoneDayLoad[]> {
    return this.#run(() => linesByDay(this.#db, dates));
  }

  async *dump<K extends Kind>(kind: K): AsyncIterable<readonly Kept[K][]> {
    await this.#run(() => this.#writer.flush());
    yield* this.#dump[kind]();
  }

  load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void> {
    return this.#run(() => this.#loader.load(kind, records, offset));
  }

  endLoad(): Promise<void> {
    return this.#run(() => this.#loader.end());
  }

  now(): Promise<number> {
    return this.#run(async () => {
      const now = await this.#db.now(this.#time.expression());
      this.#time.observe(now);
      return now;
    });
  }

  async ping(): Promise<void> {
    await this.now();
  }

  prune(): Promise<PruneReport> {
    return this.#run(async () => {
      await this.#writer.flush(); // what is remembered longer from now on must not be removed
      return this.#pruner.prune();
    });
  }

  /** Lets pending steps finish, then writes what can wait, and lets go of the database. */
  async close(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    await this.#writer.close();
    await this.#db.connection.close();
  }

  #run<Result>(step: () => Promise<Result>): Promise<Result> {
    const running = reaching(step).finally(() => this.#pending.delete(running));
    this.#pending.add(running);
    return running;
  }
}
