import type { EntryStatus } from "@queue-api/contract";
import type { Admission, Attempt } from "../../rules/admission.js";
import type { AuditFilter } from "../../rules/audit.js";
import type { Claim, ClaimOutcome, ClaimRequest } from "../../rules/idempotency.js";
import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { Clock } from "../../rules/ports.js";
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
import type { Dump, Kept, Kind, Load } from "../kept.js";
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
import { prepareAccounts } from "./accounts.js";
import { prepareAppointments } from "./appointments.js";
import { prepareAudit } from "./audit.js";
import { prepareBoard } from "./board.js";
import { prepareCatalogue } from "./catalogue.js";
import type { Connection } from "./connection.js";
import { prepareDump } from "./dump.js";
import { prepareEntries } from "./entries.js";
import { prepareGate } from "./gate.js";
import { prepareIdempotency } from "./idempotency.js";
import { prepareImport, SlugTaken } from "./import.js";
import { prepareKeys } from "./keys.js";
import { prepareLinesByDay } from "./lines-by-day.js";
import { prepareLoad } from "./load.js";
import { prepareOffer } from "./offer.js";
import { preparePrune } from "./prune.js";
import { prepareSettings } from "./settings.js";
import { prepareStatistics } from "./statistics.js";
import { prepareTokens } from "./tokens.js";
import { WriteBatcher } from "./write-batcher.js";

/** The statements of the store, prepared once. */
function prepare(db: Connection, clock: Clock) {
  const entries = prepareEntries(db);
  const catalogue = prepareCatalogue(db);
  const idempotency = prepareIdempotency(db, clock);
  const audit = prepareAudit(db);
  const keys = prepareKeys(db, clock);
  const offer = prepareOffer(db);
  const appointments = prepareAppointments(db);
  return {
    gate: prepareGate(db, clock),
    accounts: prepareAccounts(db, clock),
    catalogue,
    board: prepareBoard(db, { catalogue, entries }),
    tokens: prepareTokens(db, { entries, idempotency, audit }),
    settings: prepareSettings(db),
    entryTimes: prepareStatistics(db),
    importAll: prepareImport(db, { keys, offer, appointments }),
    linesByDay: prepareLinesByDay(db),
    prune: preparePrune(db, clock),
    entries,
    idempotency,
    audit,
    keys,
    offer,
    appointments,
  };
}

/** Attempts of one turn of the event loop, decided together. */
interface Arrivals {
  readonly attempts: Attempt[];
  readonly admissions: Promise<Admission[]>;
}

/**
 * The store in one SQLite file. Reads run at once; writes are gathered by a {@link WriteBatcher}. The
 * SQL is in the files beside this one, one concept each, and decides nothing.
 */
export class SqliteStore implements Store {
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #writes: WriteBatcher;
  readonly #sql: ReturnType<typeof prepare>;
  #arrivals: Arrivals | null = null;
  /** Prepared when somebody copies the database, which is seldom. */
  #dump: Dump | null = null;
  #load: Load | null = null;

  /** Over a connection to a database of the newest schema. Windows, leases and expiry go by the clock. */
  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#writes = new WriteBatcher(db);
    this.#sql = prepare(db, clock);
  }

  async admit(attempt: Attempt): Promise<Admission> {
    this.#arrivals ??= this.#gather();
    const { attempts, admissions } = this.#arrivals;
    const place = attempts.push(attempt) - 1;
    const admission = (await admissions)[place];
    if (!admission) throw new Error("an attempt was left undecided");
    return admission;
  }

  #gather(): Arrivals {
    const attempts: Attempt[] = [];
    const closed = () => {
      if (this.#arrivals?.attempts === attempts) this.#arrivals = null;
    };
    const admissions = this.#writes.volatile(() => {
      closed();
      return this.#sql.gate.admit(attempts);
    });
    admissions.catch(closed); // a batch that could not even begin; each attempt is told
    return { attempts, admissions };
  }

  async signInWindow(subject: string): Promise<WindowReport> {
    return this.#sql.gate.signInWindow(subject);
  }

  async services(businessId: string): Promise<readonly Service[]> {
    return this.#sql.catalogue.services(businessId);
  }

  async queues(businessId: string): Promise<readonly Queue[]> {
    return this.#sql.catalogue.queues(businessId);
  }

  async queueDay(businessId: string, queueId: string, date: string): Promise<QueueDay | null> {
    return this.#sql.entries.queueDay(businessId, queueId, date);
  }

  async board(businessId: string, date: string, request: BoardRequest): Promise<Board> {
    return this.#sql.board.board(businessId, date, request);
  }

  async boardVersion(businessId: string, date: string): Promise<string> {
    return this.#sql.board.version(businessId, date);
  }

  async entriesPage(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    page: PageRequest,
  ): Promise<Page<EntryInLine> | "queue_not_found" | "cursor_unknown"> {
    return this.#sql.entries.entriesPage(businessId, queueId, date, status, page);
  }

  async entry(businessId: string, entryId: string): Promise<EntryInLine | null> {
    return this.#sql.entries.entry(businessId, entryId);
  }

  async appointmentsPage(
    businessId: string,
    date: string,
    page: PageRequest,
  ): Promise<Page<Appointment> | "cursor_unknown"> {
    return this.#sql.appointments.appointmentsPage(businessId, date, page);
  }

  async appointment(businessId: string, appointmentId: string): Promise<Appointment | null> {
    return this.#sql.appointments.appointment(businessId, appointmentId);
  }

  claimIdempotencyKey(businessId: string, request: ClaimRequest): Promise<ClaimOutcome> {
    return this.#writes.volatile(() => this.#sql.idempotency.claim(businessId, request));
  }

  releaseIdempotencyKey(businessId: string, claim: Claim): Promise<void> {
    return this.#writes.volatile(() => this.#sql.idempotency.release(businessId, claim));
  }

  endIdempotencyLease(businessId: string, claim: Claim): Promise<void> {
    return this.#writes.volatile(() => this.#sql.idempotency.endLease(businessId, claim));
  }

  issueToken(businessId: string, request: IssueRequest): Promise<IssueOutcome> {
    return this.#writes.durable(() => this.#sql.tokens.issue(businessId, request));
  }

  moveEntry(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    audit: AuditRow | null,
  ): Promise<MoveOutcome> {
    return this.#writes.durable(() => this.#sql.tokens.move(businessId, entryId, move, now, audit));
  }

  appendAudit(rows: readonly AuditRow[]): Promise<void> {
    return this.#writes.volatile(() => this.#sql.audit.appendAll(rows));
  }

  async businesses(): Promise<readonly Business[]> {
    return this.#sql.catalogue.businesses();
  }

  async businessBySlug(slug: string): Promise<Business | null> {
    return this.#sql.catalogue.businessBySlug(slug);
  }

  async businessIdOf(
    kind: "key" | "queue" | "entry" | "appointment",
    id: string,
  ): Promise<string | null> {
    return this.#sql.catalogue.businessIdOf(kind, id);
  }

  setApiAccess(businessId: string, on: boolean): Promise<void> {
    return this.#writes.durable(() => this.#sql.settings.setApiAccess(businessId, on));
  }

  setDailyTokenLimit(businessId: string, limit: number | null): Promise<void> {
    return this.#writes.durable(() => this.#sql.settings.setDailyTokenLimit(businessId, limit));
  }

  setSandbox(businessId: string, on: boolean): Promise<void> {
    return this.#writes.durable(() => this.#sql.settings.setSandbox(businessId, on));
  }

  addKey(businessId: string, key: ApiKey): Promise<AddKeyOutcome> {
    return this.#writes.durable(() => this.#sql.keys.add(businessId, key));
  }

  async keys(businessId: string): Promise<readonly KeyInUse[]> {
    return this.#sql.keys.keys(businessId);
  }

  changeKey(businessId: string, keyId: string, change: KeyChange): Promise<boolean> {
    return this.#writes.durable(() => this.#sql.keys.change(businessId, keyId, change));
  }

  revokeKey(businessId: string, keyId: string, now: number): Promise<boolean> {
    return this.#writes.durable(() => this.#sql.keys.revoke(businessId, keyId, now));
  }

  addQueue(_businessId: string, queue: Queue): Promise<void> {
    return this.#writes.durable(() => this.#sql.offer.addQueue(queue));
  }

  changeQueue(businessId: string, queueId: string, change: QueueChange): Promise<Queue | null> {
    return this.#writes.durable(() => this.#sql.offer.changeQueue(businessId, queueId, change));
  }

  addService(_businessId: string, service: Service): Promise<void> {
    return this.#writes.durable(() => this.#sql.offer.addService(service));
  }

  changeService(
    businessId: string,
    serviceId: string,
    change: ServiceChange,
  ): Promise<Service | null> {
    return this.#writes.durable(() => this.#sql.offer.changeService(businessId, serviceId, change));
  }

  setPriority(businessId: string, entryId: string, priority: boolean): Promise<MoveOutcome> {
    return this.#writes.durable(() => this.#sql.tokens.setPriority(businessId, entryId, priority));
  }

  callIfNext(
    businessId: string,
    entryId: string,
    now: number,
  ): Promise<MoveOutcome | { readonly outcome: "not_next" }> {
    return this.#writes.durable(() => this.#sql.tokens.callIfNext(businessId, entryId, now));
  }

  callNext(businessId: string, queueId: string, date: string, now: number): Promise<Entry | null> {
    return this.#writes.durable(() => this.#sql.tokens.callNext(businessId, queueId, date, now));
  }

  addAppointment(_businessId: string, appointment: Appointment): Promise<void> {
    return this.#writes.durable(() => this.#sql.appointments.add(appointment));
  }

  changeAppointment(
    businessId: string,
    appointmentId: string,
    change: AppointmentChange,
  ): Promise<Appointment | null> {
    const { appointments } = this.#sql;
    return this.#writes.durable(() => appointments.change(businessId, appointmentId, change));
  }

  async auditPage(
    businessId: string,
    filter: AuditFilter,
    page: PageRequest,
  ): Promise<AuditPage | "cursor_unknown"> {
    return this.#sql.audit.page(businessId, filter, page);
  }

  entryTimes(
    businessId: string,
    days: DayRange,
    queueId: string | null,
  ): AsyncIterable<readonly EntryTimes[]> {
    return this.#sql.entryTimes(businessId, days, queueId);
  }

  async importBusinesses(
    imports: readonly BusinessImport[],
    options: ImportOptions,
  ): Promise<ImportOutcome> {
    try {
      return await this.#writes.durable(() => this.#sql.importAll(imports, options));
    } catch (error) {
      if (error instanceof SlugTaken) return { outcome: "slug_exists", slug: error.slug };
      throw error;
    }
  }

  addOwner(
    _businessId: string,
    owner: Owner,
    link: PasswordLink,
  ): Promise<"added" | "email_taken"> {
    return this.#writes.durable(() => this.#sql.accounts.add(owner, link));
  }

  async owners(businessId: string): Promise<readonly Owner[]> {
    return this.#sql.accounts.owners(businessId);
  }

  removeOwner(businessId: string, ownerId: string): Promise<boolean> {
    return this.#writes.durable(() => this.#sql.accounts.remove(businessId, ownerId));
  }

  replacePasswordLink(businessId: string, ownerId: string, link: PasswordLink): Promise<boolean> {
    return this.#writes.durable(() => this.#sql.accounts.replaceLink(businessId, ownerId, link));
  }

  async passwordLinkOwner(linkTokenHash: string): Promise<Owner | null> {
    return this.#sql.accounts.linkOwner(linkTokenHash);
  }

  setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null> {
    return this.#writes.durable(() => this.#sql.accounts.setPassword(linkTokenHash, passwordHash));
  }

  changePassword(businessId: string, ownerId: string, change: PasswordChange): Promise<boolean> {
    return this.#writes.durable(() =>
      this.#sql.accounts.changePassword(businessId, ownerId, change),
    );
  }

  async ownerByEmail(email: string): Promise<Owner | null> {
    return this.#sql.accounts.byEmail(email);
  }

  admitSignIn(attempt: SignInAttempt): Promise<SignInAdmission> {
    return this.#writes.volatile(() => this.#sql.accounts.admit(attempt));
  }

  forgiveSignIn(attempt: SignInAttempt, chargedAt: number): Promise<void> {
    return this.#writes.volatile(() => this.#sql.accounts.forgive(attempt, chargedAt));
  }

  startSession(businessId: string, session: OwnerSession, passwordHash: string): Promise<boolean> {
    return this.#writes.durable(() => this.#sql.accounts.start(businessId, session, passwordHash));
  }

  async sessionOwner(tokenHash: string): Promise<SignedIn | null> {
    return this.#sql.accounts.session(tokenHash);
  }

  endSession(tokenHash: string): Promise<void> {
    return this.#writes.durable(() => this.#sql.accounts.end(tokenHash));
  }

  endSessions(businessId: string, ownerId: string): Promise<void> {
    return this.#writes.durable(() => this.#sql.accounts.endAll(businessId, ownerId));
  }

  async linesByDay(dates: readonly string[]): Promise<readonly ZoneDayLoad[]> {
    return this.#sql.linesByDay(dates);
  }

  dump<K extends Kind>(kind: K): AsyncIterable<readonly Kept[K][]> {
    this.#dump ??= prepareDump(this.#db);
    return this.#dump[kind]();
  }

  load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void> {
    this.#load ??= prepareLoad(this.#db);
    const load = this.#load;
    return this.#writes.durable(() => {
      load[kind](records, offset);
    });
  }

  async endLoad(): Promise<void> {}

  async now(): Promise<number> {
    return this.#clock();
  }

  ping(): Promise<void> {
    // A read would succeed on a full disk, and while another process holds the write lock.
    return this.#writes.volatile(() => this.#db.touch());
  }

  prune(): Promise<PruneReport> {
    return this.#writes.volatile(() => this.#sql.prune());
  }

  async close(): Promise<void> {
    await this.#writes.drain();
    try {
      this.#db.checkpoint();
    } finally {
      this.#db.close();
    }
  }
}
