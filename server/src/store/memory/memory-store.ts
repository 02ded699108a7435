import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type EntryStatus, limits } from "@queue-api/contract";
import {
  type Admission,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../rules/admission.js";
import type { AuditFilter } from "../../rules/audit.js";
import {
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  decideClaim,
  keptUntil,
} from "../../rules/idempotency.js";
import { refuseIssue } from "../../rules/issue.js";
import { isActive } from "../../rules/key.js";
import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { Clock } from "../../rules/ports.js";
import type {
  ApiKey,
  Appointment,
  AuditRow,
  Business,
  Entry,
  IdempotencyRecord,
  KeyInUse,
  Owner,
  OwnerSession,
  PasswordLink,
  Queue,
  Service,
  StoredAnswer,
} from "../../rules/records.js";
import type { SignInAdmission, SignInAttempt } from "../../rules/sign-in.js";
import type { EntryTimes } from "../../rules/statistics.js";
import { type Move, moved, prioritized } from "../../rules/transitions.js";
import type { Window, WindowReport } from "../../rules/window.js";
import { ClaimLostError } from "../claim-lost-error.js";
import type { Kept, Kind, Load } from "../kept.js";
import { retention } from "../retention.js";
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
  QueueOnBoard,
  ServiceChange,
  SignedIn,
  Store,
} from "../store.js";
import { Accounts } from "./accounts.js";
import { AuditLog } from "./audit-log.js";
import { countsOf, lineOf, paceOf, servedOf, standing } from "./line.js";
import { removeSome } from "./remove-some.js";

/** Entries that one step tells of where there may be very many. */
const timesStep = 500;

interface KeyWindows {
  readonly requests: Window | null;
  readonly writes: Window | null;
}

interface KeptRecord extends IdempotencyRecord {
  readonly businessId: string;
}

/**
 * Everything in plain maps, counted anew for each answer: the model that the other adapters are
 * measured against. A method runs to its end without waiting, which makes each one atomic.
 */
export class MemoryStore implements Store {
  readonly #clock: Clock;
  readonly #businesses = new Map<string, Business>();
  readonly #keys = new Map<string, ApiKey>();
  readonly #services = new Map<string, Service>();
  readonly #queues = new Map<string, Queue>();
  readonly #appointments = new Map<string, Appointment>();
  readonly #entries = new Map<string, Entry>();
  /** The entries of one queue on one day, by token number. */
  readonly #days = new Map<string, Map<number, Entry>>();
  /** The entry that an idempotency key created, by claim id. */
  readonly #claimed = new Map<string, Entry["id"]>();
  readonly #idempotency = new Map<string, KeptRecord>();
  readonly #signIns = new Map<string, Window>();
  readonly #keyWindows = new Map<ApiKey["id"], KeyWindows>();
  readonly #accounts: Accounts;
  /** When the last window of each key's requests began; outlives the window itself. */
  readonly #lastUsed = new Map<ApiKey["id"], number>();
  readonly #audit = new AuditLog();

  /** An empty store whose windows, leases and expiry go by this clock. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#accounts = new Accounts(clock);
  }

  async admit(attempt: Attempt): Promise<Admission> {
    const key = this.#keys.get(attempt.credentials?.keyId ?? "") ?? null;
    const business = this.#businesses.get(key?.businessId ?? "") ?? null;
    const signIns = this.#signIns.get(attempt.subject) ?? null;
    const windows = this.#keyWindows.get(key?.id ?? "") ?? { requests: null, writes: null };
    const decision = decideAdmission(
      attempt,
      { key, business, signIns, ...windows },
      this.#clock(),
    );
    if (decision.signIns) this.#signIns.set(attempt.subject, decision.signIns);
    if (key && decision.requests) {
      const { requests, writes = windows.writes } = decision;
      this.#keyWindows.set(key.id, { requests, writes });
      this.#lastUsed.set(key.id, requests.startedAt);
    }
    return decision.admission;
  }

  async signInWindow(subject: string): Promise<WindowReport> {
    return signInReport(this.#signIns.get(subject) ?? null, this.#clock());
  }

  async services(businessId: string): Promise<readonly Service[]> {
    return ownedBy(businessId, this.#services);
  }

  async queues(businessId: string): Promise<readonly Queue[]> {
    return ownedBy(businessId, this.#queues);
  }

  async queueDay(businessId: string, queueId: string, date: string): Promise<QueueDay | null> {
    const queue = owned(businessId, this.#queues.get(queueId));
    if (!queue) return null;
    const day = this.#day(queueId, date);
    const waiting = lineOf(day).map((entry) => entry.workMinutes);
    return { queue, counts: countsOf(day), pace: paceOf(day), waiting };
  }

  async board(
    businessId: string,
    date: string,
    { limit, wholeLine }: BoardRequest,
  ): Promise<Board> {
    const queues = this.#onBoard(businessId, date).map((queue) => {
      const shown = queue.queue.id === wholeLine ? queue.line.length : limit;
      return { ...queue, line: queue.line.slice(0, shown) };
    });
    const version = await this.boardVersion(businessId, date);
    return { version, services: ownedBy(businessId, this.#services), queues };
  }

  async boardVersion(businessId: string, date: string): Promise<string> {
    const services = ownedBy(businessId, this.#services);
    return hash("sha256", JSON.stringify([services, this.#onBoard(businessId, date)]));
  }

  #onBoard(businessId: string, date: string): QueueOnBoard[] {
    return ownedBy(businessId, this.#queues).map((queue) => {
      const day = this.#day(queue.id, date);
      const line = lineOf(day);
      const waiting = line.map((entry) => entry.workMinutes);
      const inService = servedOf(day);
      return { queue, counts: countsOf(day), pace: paceOf(day), waiting, inService, line };
    });
  }

  async entriesPage(
    businessId: string,
    queueId: string,
    date: string,
    status: EntryStatus | null,
    { limit, after }: PageRequest,
  ): Promise<Page<EntryInLine> | "queue_not_found" | "cursor_unknown"> {
    if (!owned(businessId, this.#queues.get(queueId))) return "queue_not_found";
    const day = this.#day(queueId, date);
    const start = after === null ? -1 : day.findIndex((entry) => entry.id === after);
    if (after !== null && start < 0) return "cursor_unknown";
    const rest = day.slice(start + 1).filter((entry) => status === null || entry.status === status);
    const page = inLine(rest.slice(0, limit), day);
    return { items: page, more: rest.length > limit };
  }

  async entry(businessId: string, entryId: string): Promise<EntryInLine | null> {
    const entry = owned(businessId, this.#entries.get(entryId));
    return entry ? place(entry, this.#day(entry.queueId, entry.date)) : null;
  }

  async appointmentsPage(
    businessId: string,
    date: string,
    { limit, after }: PageRequest,
  ): Promise<Page<Appointment> | "cursor_unknown"> {
    const day = ownedBy(businessId, this.#appointments)
      .filter((appointment) => appointment.date === date)
      .sort((a, b) => compare(a.slotTime, b.slotTime) || compare(a.id, b.id));
    const start = after === null ? -1 : day.findIndex((appointment) => appointment.id === after);
    if (after !== null && start < 0) return "cursor_unknown";
    const rest = day.slice(start + 1);
    return { items: rest.slice(0, limit), more: rest.length > limit };
  }

  async appointment(businessId: string, appointmentId: string): Promise<Appointment | null> {
    return owned(businessId, this.#appointments.get(appointmentId));
  }

  async claimIdempotencyKey(businessId: string, request: ClaimRequest): Promise<ClaimOutcome> {
    const place = recordKey(businessId, request.key);
    const found = this.#idempotency.get(place) ?? null;
    const { outcome, record } = decideClaim(request, found, this.#clock());
    if (record) this.#idempotency.set(place, { businessId, ...record });
    return outcome;
  }

  async releaseIdempotencyKey(businessId: string, claim: Claim): Promise<void> {
    const place = recordKey(businessId, claim.key);
    const found = this.#idempotency.get(place);
    if (found?.owner === claim.owner && found.answer === null) this.#idempotency.delete(place);
  }

  async endIdempotencyLease(businessId: string, claim: Claim): Promise<void> {
    const place = recordKey(businessId, claim.key);
    const found = this.#idempotency.get(place);
    if (found?.owner === claim.owner && found.answer === null) {
      this.#idempotency.set(place, { ...found, leaseUntil: 0 });
    }
  }

  async issueToken(businessId: string, request: IssueRequest): Promise<IssueOutcome> {
    const earlier = request.claim && this.#resultOf(businessId, request.claim, request.answer);
    if (earlier) return { outcome: "replay", answer: earlier };

    const queue = owned(businessId, this.#queues.get(request.queueId));
    const service = owned(businessId, this.#services.get(request.serviceId ?? ""));
    const { date, dailyTokenLimit } = request;
    const createdToday = ownedBy(businessId, this.#entries).filter((e) => e.date === date).length;
    const facts = { queue, service, createdToday, dailyTokenLimit };
    const refusal = refuseIssue(request.serviceId !== null, facts);
    if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };

    const day = this.#day(queue.id, date);
    const entry: Entry = {
      id: request.id,
      businessId,
      queueId: queue.id,
      date,
      tokenSeries: queue.tokenSeries,
      tokenNumber: (day.at(-1)?.tokenNumber ?? 0) + 1,
      status: "WAITING",
      priority: request.priority,
      serviceId: request.serviceId,
      workMinutes: service?.baseTimeMinutes ?? null,
      customerName: request.customerName,
      customerPhone: request.customerPhone,
      issuedAt: request.issuedAt,
      startedAt: null,
      completedAt: null,
      canceledAt: null,
    };
    const answer = request.answer(place(entry, [...day, entry]));
    this.#keep(entry);
    if (request.claim) {
      this.#claimed.set(request.claim.claimId, entry.id);
      this.#finish(businessId, request.claim, answer);
    }
    if (request.audit) this.#audit.append(request.audit);
    return { outcome: "issued", answer };
  }

  async moveEntry(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    audit: AuditRow | null,
  ): Promise<MoveOutcome> {
    const outcome = this.#change(businessId, entryId, (entry) => moved(entry, move, now));
    if (audit && outcome.outcome === "moved") this.#audit.append(audit);
    return outcome;
  }

  #change(businessId: string, entryId: string, by: (entry: Entry) => Entry | null): MoveOutcome {
    const entry = owned(businessId, this.#entries.get(entryId));
    if (!entry) return { outcome: "not_found" };
    const after = by(entry);
    if (!after) return { outcome: "invalid_state", status: entry.status };
    this.#keep(after);
    return { outcome: "moved", entry: after };
  }

  async appendAudit(rows: readonly AuditRow[]): Promise<void> {
    for (const row of rows) this.#audit.append(row);
  }

  async businesses(): Promise<readonly Business[]> {
    return [...this.#businesses.values()];
  }

  async businessBySlug(slug: string): Promise<Business | null> {
    return this.#bySlug(slug);
  }

  async businessIdOf(
    kind: "key" | "queue" | "entry" | "appointment",
    id: string,
  ): Promise<string | null> {
    const things = {
      key: this.#keys,
      queue: this.#queues,
      entry: this.#entries,
      appointment: this.#appointments,
    };
    return things[kind].get(id)?.businessId ?? null;
  }

  async setApiAccess(businessId: string, on: boolean): Promise<void> {
    const business = this.#businesses.get(businessId);
    if (business) this.#businesses.set(businessId, { ...business, apiAccess: on });
  }

  async setSandbox(businessId: string, on: boolean): Promise<void> {
    const business = this.#businesses.get(businessId);
    if (business) this.#businesses.set(businessId, { ...business, sandbox: on });
  }

  async setDailyTokenLimit(businessId: string, limit: number | null): Promise<void> {
    const business = this.#businesses.get(businessId);
    if (business) this.#businesses.set(businessId, { ...business, dailyTokenLimit: limit });
  }

  async addKey(businessId: string, key: ApiKey): Promise<AddKeyOutcome> {
    if (this.#keys.has(key.id)) return "exists";
    const now = this.#clock();
    const active = ownedBy(businessId, this.#keys).filter((held) => isActive(held, now));
    if (active.length >= limits.activeKeys) return "too_many_active";
    this.#keys.set(key.id, key);
    return "added";
  }

  async keys(businessId: string): Promise<readonly KeyInUse[]> {
    const keys = ownedBy(businessId, this.#keys).map((key) => this.#inUse(key));
    return keys.sort((a, b) => a.createdAt - b.createdAt || compare(a.id, b.id));
  }

  async changeKey(businessId: string, keyId: string, change: KeyChange): Promise<boolean> {
    return changeOne(this.#keys, businessId, keyId, change) !== null;
  }

  async revokeKey(businessId: string, keyId: string, now: number): Promise<boolean> {
    const key = owned(businessId, this.#keys.get(keyId));
    if (!key) return false;
    this.#keys.set(key.id, { ...key, revokedAt: key.revokedAt ?? now });
    return true;
  }

  async addQueue(_businessId: string, queue: Queue): Promise<void> {
    this.#queues.set(queue.id, queue);
  }

  async changeQueue(
    businessId: string,
    queueId: string,
    change: QueueChange,
  ): Promise<Queue | null> {
    return changeOne(this.#queues, businessId, queueId, change);
  }

  async addService(_businessId: string, service: Service): Promise<void> {
    this.#services.set(service.id, service);
  }

  async changeService(
    businessId: string,
    serviceId: string,
    change: ServiceChange,
  ): Promise<Service | null> {
    return changeOne(this.#services, businessId, serviceId, change);
  }

  async setPriority(businessId: string, entryId: string, priority: boolean): Promise<MoveOutcome> {
    return this.#change(businessId, entryId, (entry) => prioritized(entry, priority));
  }

  async callIfNext(
    businessId: string,
    entryId: string,
    now: number,
  ): Promise<MoveOutcome | { readonly outcome: "not_next" }> {
    const entry = owned(businessId, this.#entries.get(entryId));
    const next = entry && lineOf(this.#day(entry.queueId, entry.date))[0];
    if (entry?.status === "WAITING" && next?.id !== entryId) return { outcome: "not_next" };
    return this.#change(businessId, entryId, (waiting) => moved(waiting, "call", now));
  }

  async callNext(
    businessId: string,
    queueId: string,
    date: string,
    now: number,
  ): Promise<Entry | null> {
    if (!owned(businessId, this.#queues.get(queueId))) return null;
    const next = lineOf(this.#day(queueId, date))[0];
    const called = next ? moved(next, "call", now) : null;
    if (called) this.#keep(called);
    return called;
  }

  async addAppointment(_businessId: string, appointment: Appointment): Promise<void> {
    this.#appointments.set(appointment.id, appointment);
  }

  async changeAppointment(
    businessId: string,
    appointmentId: string,
    change: AppointmentChange,
  ): Promise<Appointment | null> {
    return changeOne(this.#appointments, businessId, appointmentId, change);
  }

  async auditPage(
    businessId: string,
    filter: AuditFilter,
    page: PageRequest,
  ): Promise<AuditPage | "cursor_unknown"> {
    return this.#audit.page(businessId, filter, page);
  }

  async *entryTimes(
    businessId: string,
    { first, last }: DayRange,
    inQueue: string | null,
  ): AsyncIterable<readonly EntryTimes[]> {
    const asked = ownedBy(businessId, this.#entries).filter(
      ({ date, queueId }) =>
        date >= first && date <= last && (inQueue === null || queueId === inQueue),
    );
    for (let done = 0; done < asked.length; done += timesStep) {
      yield asked.slice(done, done + timesStep).map(timesOf);
      await setImmediate();
    }
  }

  async importBusinesses(
    imports: readonly BusinessImport[],
    { replace, onProgress }: ImportOptions,
  ): Promise<ImportOutcome> {
    const slugs = new Set<string>();
    for (const { business } of imports) {
      const taken = slugs.has(business.slug) || this.#bySlug(business.slug) !== null;
      if (taken && !replace) return { outcome: "slug_exists", slug: business.slug };
      slugs.add(business.slug);
    }
    // The lazy parts are read to their end first: one that fails leaves the store as it was.
    const whole = imports.map((part) => ({
      ...part,
      entries: [...part.entries],
      appointments: [...part.appointments],
    }));
    let written = 0;
    for (const part of whole) {
      this.#write(part);
      written += part.entries.length + part.appointments.length;
      onProgress?.(written);
    }
    return { outcome: "imported" };
  }

  async addOwner(
    _businessId: string,
    owner: Owner,
    link: PasswordLink,
  ): Promise<"added" | "email_taken"> {
    return this.#accounts.add(owner, link);
  }

  async owners(businessId: string): Promise<readonly Owner[]> {
    return this.#accounts.of(businessId);
  }

  async removeOwner(businessId: string, ownerId: string): Promise<boolean> {
    return this.#accounts.remove(businessId, ownerId);
  }

  async replacePasswordLink(
    businessId: string,
    ownerId: string,
    link: PasswordLink,
  ): Promise<boolean> {
    return this.#accounts.replaceLink(businessId, ownerId, link);
  }

  async passwordLinkOwner(linkTokenHash: string): Promise<Owner | null> {
    return this.#accounts.linkOwner(linkTokenHash);
  }

  async setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null> {
    return this.#accounts.setPassword(linkTokenHash, passwordHash);
  }

  async changePassword(
    businessId: string,
    ownerId: string,
    change: PasswordChange,
  ): Promise<boolean> {
    return this.#accounts.changePassword(businessId, ownerId, change);
  }

  async ownerByEmail(email: string): Promise<Owner | null> {
    return this.#accounts.byEmail(email);
  }

  async admitSignIn(attempt: SignInAttempt): Promise<SignInAdmission> {
    return this.#accounts.admit(attempt);
  }

  async forgiveSignIn(attempt: SignInAttempt, chargedAt: number): Promise<void> {
    this.#accounts.forgive(attempt, chargedAt);
  }

  async startSession(
    businessId: string,
    session: OwnerSession,
    passwordHash: string,
  ): Promise<boolean> {
    return this.#accounts.start(businessId, session, passwordHash);
  }

  async sessionOwner(tokenHash: string): Promise<SignedIn | null> {
    const session = this.#accounts.session(tokenHash);
    const business = this.#businesses.get(session?.owner.businessId ?? "");
    return session && business ? { ...session, business } : null;
  }

  async endSession(tokenHash: string): Promise<void> {
    this.#accounts.end(tokenHash);
  }

  async endSessions(businessId: string, ownerId: string): Promise<void> {
    this.#accounts.endAll(businessId, ownerId);
  }

  async linesByDay(dates: readonly string[]): Promise<readonly ZoneDayLoad[]> {
    const loads = new Map<string, ZoneDayLoad>();
    for (const day of this.#days.values()) {
      const line = [...day.values()].filter(({ status }) => status === "WAITING");
      const first = line.sort((a, b) => a.tokenNumber - b.tokenNumber)[0];
      if (!first || !dates.includes(first.date)) continue;
      const { date, issuedAt } = first;
      const timezone = this.#businesses.get(first.businessId)?.timezone ?? null;
      const known = loads.get(`${timezone} ${date}`);
      const firstIssuedAt = Math.min(issuedAt, known?.firstIssuedAt ?? issuedAt);
      const waiting = line.length + (known?.waiting ?? 0);
      loads.set(`${timezone} ${date}`, { timezone, date, waiting, firstIssuedAt });
    }
    return [...loads.values()];
  }

  async *dump<K extends Kind>(kind: K): AsyncIterable<readonly Kept[K][]> {
    yield this.#kept()[kind] as readonly Kept[K][];
  }

  #kept(): { readonly [K in Kind]: readonly Kept[K][] } {
    const claims = new Map([...this.#claimed].map(([claimId, entryId]) => [entryId, claimId]));
    return {
      businesses: [...this.#businesses.values()],
      services: [...this.#services.values()],
      queues: [...this.#queues.values()],
      keys: [...this.#keys.values()].map((key) => this.#inUse(key)),
      owners: this.#accounts.kept(),
      entries: [...this.#entries.values()].map((entry) => ({
        ...entry,
        claimId: claims.get(entry.id) ?? null,
      })),
      appointments: [...this.#appointments.values()],
      idempotency: [...this.#idempotency.values()],
      audit: this.#audit.rows(),
    };
  }

  async load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void> {
    await this.#load[kind](records, offset);
  }

  readonly #load: Load = {
    businesses: (records) => put(this.#businesses, records),
    services: (records) => put(this.#services, records),
    queues: (records) => put(this.#queues, records),
    keys: (records) => {
      for (const { lastUsedAt, ...key } of records) {
        this.#keys.set(key.id, key);
        if (lastUsedAt !== null) this.#lastUsed.set(key.id, lastUsedAt);
      }
    },
    owners: (records) => this.#accounts.load(records),
    appointments: (records) => put(this.#appointments, records),
    entries: (records) => {
      for (const { claimId, ...entry } of records) {
        this.#keep(entry);
        if (claimId !== null) this.#claimed.set(claimId, entry.id);
      }
    },
    idempotency: (records) => {
      for (const record of records) {
        this.#idempotency.set(recordKey(record.businessId, record.key), record);
      }
    },
    audit: (records, offset) => this.#audit.load(records, offset),
  };

  async endLoad(): Promise<void> {}

  async now(): Promise<number> {
    return this.#clock();
  }

  async ping(): Promise<void> {}

  async prune(): Promise<PruneReport> {
    const now = this.#clock();
    const { auditBefore, signInWindowUntil, keyWindowUntil, ownerSignInWindowUntil } =
      retention(now);
    const accounts = this.#accounts.prune(ownerSignInWindowUntil);
    const ended = (window: Window | null) => window === null || window.startedAt <= keyWindowUntil;
    return {
      ...accounts,
      auditRows: this.#audit.prune(auditBefore),
      idempotencyRecords: removeSome(this.#idempotency, (record) => record.keptUntil <= now),
      windows:
        accounts.windows +
        removeSome(this.#signIns, (window) => window.startedAt <= signInWindowUntil) +
        removeSome(this.#keyWindows, ({ requests, writes }) => ended(requests) && ended(writes)),
    };
  }

  async close(): Promise<void> {}

  #inUse(key: ApiKey): KeyInUse {
    return { ...key, lastUsedAt: this.#lastUsed.get(key.id) ?? null };
  }

  /** Entries of a queue and day in token order. */
  #day(queueId: string, date: string): Entry[] {
    const day = this.#days.get(dayKey(queueId, date))?.values() ?? [];
    return [...day].sort((a, b) => a.tokenNumber - b.tokenNumber);
  }

  #keep(entry: Entry): void {
    const key = dayKey(entry.queueId, entry.date);
    const day = this.#days.get(key) ?? new Map<number, Entry>();
    this.#days.set(key, day.set(entry.tokenNumber, entry));
    this.#entries.set(entry.id, entry);
  }

  #bySlug(slug: string): Business | null {
    return [...this.#businesses.values()].find((business) => business.slug === slug) ?? null;
  }

  /** The answer to a creation whose entry is there already, kept under the claim from now on. */
  #resultOf(businessId: string, claim: Claim, answer: IssueRequest["answer"]): StoredAnswer | null {
    const record = this.#idempotency.get(recordKey(businessId, claim.key));
    if (record?.claimId !== claim.claimId) throw new ClaimLostError();
    if (record.answer) return record.answer;
    const entry = this.#entries.get(this.#claimed.get(claim.claimId) ?? "");
    if (!entry) return null;
    const found = answer(place(entry, this.#day(entry.queueId, entry.date)));
    this.#finish(businessId, claim, found);
    return found;
  }

  /** Keeps the answer to what a claim created, whoever holds the lease by now: it is the only one. */
  #finish(businessId: string, claim: Claim, answer: StoredAnswer): void {
    const key = recordKey(businessId, claim.key);
    const record = this.#idempotency.get(key);
    if (record?.claimId !== claim.claimId) return;
    this.#idempotency.set(key, { ...record, answer, keptUntil: keptUntil(this.#clock()) });
  }

  #write(part: BusinessImport): void {
    const { business } = part;
    const before = this.#bySlug(business.slug);
    if (before) this.#remove(before.id);
    this.#businesses.set(business.id, business);
    for (const key of part.keys) this.#keys.set(key.id, key);
    for (const service of part.services) this.#services.set(service.id, service);
    for (const queue of part.queues) this.#queues.set(queue.id, queue);
    for (const entry of part.entries) this.#keep(entry);
    for (const appointment of part.appointments)
      this.#appointments.set(appointment.id, appointment);
  }

  /** Removes a business with all that belongs to it. */
  #remove(businessId: string): void {
    this.#businesses.delete(businessId);
    this.#accounts.removeAll(businessId);
    for (const key of ownedBy(businessId, this.#keys)) {
      this.#keyWindows.delete(key.id);
      this.#lastUsed.delete(key.id);
    }
    for (const entry of ownedBy(businessId, this.#entries)) {
      this.#days.delete(dayKey(entry.queueId, entry.date));
    }
    for (const things of [
      this.#keys,
      this.#services,
      this.#queues,
      this.#entries,
      this.#appointments,
      this.#idempotency,
    ]) {
      for (const [key, thing] of things) if (thing.businessId === businessId) things.delete(key);
    }
    this.#audit.removeAll(businessId);
  }
}

function put<Thing extends { readonly id: string }>(
  things: Map<string, Thing>,
  records: readonly Thing[],
): void {
  for (const record of records) things.set(record.id, record);
}

interface Owned {
  readonly businessId: string;
}

/** The thing, if there is one and it is the business's own. */
function owned<Thing extends Owned>(businessId: string, thing: Thing | undefined): Thing | null {
  return thing?.businessId === businessId ? thing : null;
}

function ownedBy<Thing extends Owned>(
  businessId: string,
  things: ReadonlyMap<string, Thing>,
): Thing[] {
  return [...things.values()].filter((thing) => thing.businessId === businessId);
}

/** The thing after a change, or null when the business has none of that id. */
function changeOne<Thing extends Owned>(
  things: Map<string, Thing>,
  businessId: string,
  id: string,
  change: NoInfer<Partial<Thing>>,
): Thing | null {
  const thing = owned(businessId, things.get(id));
  if (!thing) return null;
  const after = { ...thing, ...change };
  things.set(id, after);
  return after;
}

function timesOf({ queueId, date, status, issuedAt, startedAt }: Entry): EntryTimes {
  return { queueId, date, status, issuedAt, startedAt };
}

function inLine(entries: readonly Entry[], day: readonly Entry[]): EntryInLine[] {
  const places = standing(day);
  const pace = paceOf(day);
  return entries.map((entry) => {
    const ahead = places.get(entry.id);
    return { entry, line: ahead ? { ahead, pace } : null };
  });
}

function place(entry: Entry, day: readonly Entry[]): EntryInLine {
  const ahead = standing(day).get(entry.id);
  return { entry, line: ahead ? { ahead, pace: paceOf(day) } : null };
}

function dayKey(queueId: string, date: string): string {
  return `${queueId} ${date}`;
}

function recordKey(businessId: string, key: string): string {
  return `${businessId} ${key}`;
}

/** Order by code units, which is the order of ids and times of day. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
