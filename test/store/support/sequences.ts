import { appointmentStatuses, entryStatuses } from "@queue-api/contract";
import fc from "fast-check";
import type { AuditFilter } from "../../../server/src/rules/audit.js";
import { newOwnerSession } from "../../../server/src/rules/owner-session.js";
import type { Move } from "../../../server/src/rules/transitions.js";
import { everyPart } from "../../../server/src/store/every-part.js";
import { importBusinesses } from "../../../server/src/store/import-business.js";
import type { Store } from "../../../server/src/store/store.js";
import { start, type TestClock } from "./adapters.js";
import { allPages } from "./audit.js";
import {
  advice,
  appointment,
  attempt,
  auditRow,
  back,
  chair,
  clinic,
  consult,
  entry,
  failedAttempt,
  front,
  haircut,
  id,
  importOf,
  kiosk,
  linkOf,
  mirror,
  owner,
  retired,
  salon,
  today,
  tomorrow,
} from "./records.js";

/** The records that a sequence of operations has created so far. Each compared store has its own. */
export interface Run {
  readonly store: Store;
  readonly clock: TestClock;
  /** The number of businesses that were imported. */
  imports: number;
  /** Numbers the created records, so that ids are the same on every store. */
  made: number;
}

/** One operation of a sequence. Its result must be the same on every store. */
export interface Operation {
  readonly run: (on: Run) => Promise<unknown>;
  readonly toString: () => string;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const businessIds = fc.constantFrom(clinic.id, salon.id, id("spa0"), id("nobody"));
/** The businesses that exist in each sequence. */
const ownBusinessIds = fc.constantFrom(clinic.id, clinic.id, salon.id);
const queueIds = fc.constantFrom(
  front.id,
  back.id,
  chair.id,
  id("tub0"),
  id("queue3"),
  id("noqueue"),
);
const dates = fc.constantFrom(today, tomorrow);
const serviceIds = fc.constantFrom(consult.id, advice.id, retired.id, haircut.id, null);
const keyIds = fc.constantFrom(kiosk.id, mirror.id, id("key3"), id("nokey"));
const names = fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }));
const keyedRequests = fc.record({
  key: fc.constantFrom("key-0001", "key-0002"),
  fingerprint: fc.constantFrom("one body", "one body", "another"),
});
const moves: fc.Arbitrary<Move> = fc.constantFrom(
  ...(["cancel", "call", "call-again", "complete", "no-show", "requeue", "undo", "undo"] as const),
);
/** The revision that a change was decided on. Usually the current one. */
const revisions = fc.option(fc.nat({ max: 3 }));
const counters = fc.option(fc.constantFrom("counter 1", "counter 2"));
const numbers = fc.nat({ max: 11 });
const entryIds = numbers.map((n) => id(`made${n}`));
const appointmentIds = numbers.map((n) => id(`visit${n % 4}`));
const addresses = fc.constantFrom("203.0.113.7", "198.51.100.1");

const auditFilters: fc.Arbitrary<Partial<AuditFilter>> = fc.record(
  {
    keyId: fc.constantFrom(kiosk.id, id("nokey")),
    status: fc.constantFrom({ first: 200, last: 299 }, { first: 404, last: 404 }),
    pathPrefix: fc.constantFrom("/v1/", "/v1/t", "/v1/one", "."),
    from: fc.constantFrom(start - minute, start, start + 1000),
    until: fc.constantFrom(start, start + 1000, start + day),
  },
  { requiredKeys: [] },
);

/** An operation and its description for a failed sequence. */
function operation<Values extends unknown[]>(
  name: string,
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  run: (on: Run, ...values: Values) => Promise<unknown>,
): fc.Arbitrary<Operation> {
  return fc.tuple<Values>(...values).map((chosen) => ({
    run: (on) => run(on, ...chosen),
    toString: () => `${name}(${fc.stringify(chosen)})`,
  }));
}

const issue = operation(
  "issueToken",
  [businessIds, queueIds, dates, serviceIds, fc.boolean(), names, fc.option(keyedRequests)],
  (on, businessId, queueId, date, serviceId, priority, customerName, keyed) => {
    const number = on.made++;
    return on.store.entries.issue(businessId, {
      id: id(`made${number}`),
      queueId,
      date,
      serviceId,
      customerName,
      customerPhone: null,
      phoneIsInternational: false,
      priority,
      issuedAt: on.clock(),
      keyed,
      audit: auditRow(`${number}`, { businessId, at: on.clock() }),
    });
  },
);

const page = operation(
  "entriesPage",
  [
    businessIds,
    queueIds,
    dates,
    fc.option(fc.constantFrom(...entryStatuses)),
    fc.integer({ min: 1, max: 4 }),
    fc.option(entryIds),
    fc.boolean(),
  ],
  (on, businessId, queueId, date, status, limit, after, orEarlier) =>
    on.store.entries.page(businessId, queueId, date, status, { limit, after, orEarlier }),
);

const moveEntry = operation(
  "moveEntry",
  [businessIds, entryIds, moves, revisions, counters],
  (on, business, entry, by, seen, counter) =>
    on.store.entries.move(business, entry, by, on.clock(), {
      ...{ seen, counter, audit: auditRow("move", { at: on.clock() }) },
    }),
);

const transferEntry = operation(
  "transferEntry",
  [businessIds, entryIds, queueIds, revisions],
  (on, businessId, entry, queueId, seen) =>
    on.store.entries.transfer(businessId, entry, queueId, {
      ...{ seen, audit: auditRow("transfer", { businessId, at: on.clock() }) },
    }),
);

const correctEntry = operation(
  "correctEntry",
  [businessIds, entryIds, names, serviceIds, revisions],
  (on, businessId, entry, customerName, serviceId, seen) =>
    on.store.entries.correct(
      businessId,
      entry,
      {
        ...{ customerName, customerPhone: "12345678", phoneIsInternational: true },
        ...{ serviceId, workMinutes: serviceId === null ? null : 7 },
      },
      { seen, audit: auditRow("correct", { businessId, at: on.clock() }) },
    ),
);

const callNext = operation(
  "callNext",
  [businessIds, queueIds, dates],
  (on, business, queue, date) => on.store.entries.callNext(business, queue, date, on.clock()),
);

const setPriority = operation(
  "setPriority",
  [businessIds, entryIds, fc.boolean(), revisions],
  (on, business, entry, priority, seen) =>
    on.store.entries.setPriority(business, entry, priority, { seen }),
);

const callIfNext = operation(
  "callIfNext",
  [businessIds, entryIds, revisions, counters],
  (on, business, entry, seen, counter) =>
    on.store.entries.callIfNext(business, entry, on.clock(), {
      ...{ seen, counter, audit: auditRow("call", { at: on.clock() }) },
    }),
);

const passTime = operation(
  "passTime",
  [fc.constantFrom(1000, 31_000, minute, 10 * minute, day, 91 * day, -minute)],
  async (on, milliseconds) => on.clock.advance(milliseconds),
);

const admit = operation(
  "admit",
  [keyIds, fc.constantFrom("right", "wrong", "none"), addresses, fc.boolean()],
  (on, keyId, secret, address, write) => {
    const secretHash = (secret === "right" ? attempt() : failedAttempt()).credentials?.secretHash;
    const credentials = secret === "none" || !secretHash ? null : { keyId, secretHash };
    return on.store.admission.admit({ address, subject: address, credentials, write });
  },
);

const addKey = operation("addKey", [ownBusinessIds], (on, businessId) => {
  const number = on.made++;
  const expiresAt = number % 3 === 0 ? on.clock() + hour : null;
  const key = { ...kiosk, businessId, id: id(`key${number}`), createdAt: on.clock(), expiresAt };
  return on.store.keys.add(businessId, key);
});

/** Imports a business, or replaces the one that was imported before. Its ids are new each time. */
const importSpa = operation("importBusinesses", [fc.boolean()], (on, replace) => {
  const number = on.imports++;
  const businessId = id(`spa${number}`);
  const queueId = id(`tub${number}`);
  const ofSpa = (n: number) => ({ businessId, queueId, id: id(`spa${number} entry${n}`) });
  const spa = importOf(
    { ...clinic, id: businessId, slug: "spa" },
    {
      keys: [{ ...kiosk, businessId, id: id(`spa key${number}`) }],
      services: [{ ...consult, businessId, id: id(`massage${number}`) }],
      queues: [{ ...front, businessId, id: queueId }],
      entries: [
        entry(3, { ...ofSpa(3), workMinutes: 7 }),
        entry(5, { ...ofSpa(5), priority: true }),
      ],
      appointments: [appointment(`spa visit${number}`, { businessId })],
    },
  );
  return importBusinesses(on.store, [spa], { replace });
});

const ownerNumbers = fc.nat({ max: 3 });
const passwords = fc.constantFrom("$one", "$two");
const tokens = fc.constantFrom("token1", "token2", "token3");
const browsers = fc.constantFrom(null, null, "browser1");

/** Two of the four numbers have the same e-mail address. */
function ownerNumbered(number: number, businessId: string) {
  const role = number === 2 ? "staff" : "owner";
  return owner(`owner${number}`, { businessId, role, email: `owner${number % 3}@clinic.example` });
}

const accountsWork = [
  operation(
    "addOwner",
    [ownBusinessIds, ownerNumbers, tokens],
    async (on, businessId, number, token) => {
      const one = ownerNumbered(number, businessId);
      const before = [
        ...(await on.store.accounts.list(clinic.id)),
        ...(await on.store.accounts.list(salon.id)),
      ];
      if (before.some(({ id }) => id === one.id)) return "there already";
      const link = linkOf(one, on.clock() + hour, `${token} ${on.made++}`);
      return on.store.accounts.add(businessId, one, link);
    },
  ),
  operation(
    "removeOwner",
    [ownBusinessIds, ownerNumbers, fc.boolean()],
    (on, business, number, keepOwner) =>
      on.store.accounts.remove(business, ownerNumbered(number, business).id, { keepOwner }),
  ),
  operation(
    "setPassword",
    [ownBusinessIds, ownerNumbers, passwords, fc.boolean()],
    async (on, business, number, hash, used) => {
      const one = ownerNumbered(number, business);
      const link = linkOf(one, on.clock() + hour, `link ${on.made++}`);
      const replaced = await on.store.accounts.replacePasswordLink(business, one.id, link);
      const whose = await on.store.accounts.byPasswordLink(link.tokenHash);
      return [replaced, whose, used && (await on.store.accounts.setPassword(link.tokenHash, hash))];
    },
  ),
  operation(
    "changePassword",
    [ownBusinessIds, ownerNumbers, passwords, passwords],
    (on, business, number, from, to) =>
      on.store.accounts.changePassword(business, ownerNumbered(number, business).id, { from, to }),
  ),
  operation(
    "startSession",
    [ownBusinessIds, ownerNumbers, passwords, tokens],
    async (on, business, number, hash, token) => {
      await on.store.sessions.end(token); // a token is never reused
      const session = newOwnerSession(ownerNumbered(number, business), token, on.clock());
      return on.store.sessions.start(business, session, hash);
    },
  ),
  operation("endSessions", [ownBusinessIds, ownerNumbers], (on, business, number) =>
    on.store.sessions.endAll(business, ownerNumbered(number, business).id),
  ),
  operation("sessionOwner", [tokens], (on, token) => on.store.sessions.get(token)),
  operation("owners", [businessIds], (on, business) => on.store.accounts.list(business)),
  operation("ownerByEmail", [ownerNumbers], (on, number) =>
    on.store.accounts.byEmail(ownerNumbered(number, clinic.id).email),
  ),
  operation(
    "signIn",
    [addresses, ownerNumbers, browsers, fc.boolean()],
    async (on, subject, number, browser, success) => {
      const attempt = { subject, email: ownerNumbered(number, clinic.id).email, browser };
      const admission = await on.store.signIns.admit(attempt);
      if (admission.outcome === "admitted" && success) {
        await on.store.signIns.forgive(attempt, admission.now);
      }
      return admission;
    },
  ),
];

const lineParts = fc.record({
  queueId: queueIds,
  from: fc.integer({ min: 1, max: 6 }),
  limit: fc.integer({ min: 1, max: 4 }),
});

const readingsOfLines = [
  operation("entry", [businessIds, entryIds], (on, business, entry) =>
    on.store.entries.get(business, entry),
  ),
  operation("queueDay", [businessIds, queueIds, dates], (on, business, queue, date) =>
    on.store.queues.day(business, queue, date),
  ),
  operation(
    "board",
    [businessIds, dates, fc.integer({ min: 1, max: 3 }), fc.option(lineParts)],
    async (on, business, date, limit, part) => {
      const { version: _, ...board } = await on.store.boards.get(business, date, { limit, part });
      return board; // each store has its own versions
    },
  ),
];

const readings = [
  ...readingsOfLines,
  operation("services", [businessIds], (on, business) => on.store.services.list(business)),
  operation("queues", [businessIds], (on, business) => on.store.queues.list(business)),
  operation("appointment", [businessIds, appointmentIds], (on, business, appointment) =>
    on.store.appointments.get(business, appointment),
  ),
  operation(
    "appointmentsPage",
    [businessIds, dates, fc.integer({ min: 1, max: 3 }), fc.option(appointmentIds), fc.boolean()],
    (on, business, date, limit, after, orEarlier) =>
      on.store.appointments.page(business, date, { limit, after, orEarlier }),
  ),
  operation("signInWindow", [addresses], (on, address) => on.store.admission.signInWindow(address)),
  operation(
    "auditPage",
    [businessIds, auditFilters, fc.integer({ min: 1, max: 5 })],
    (on, business, filter, limit) => allPages(on.store, business, filter, limit),
  ),
  operation(
    "entryTimes",
    [businessIds, dates, dates, fc.option(queueIds)],
    async (on, business, first, last, queue) => {
      const times: string[] = [];
      const parts = everyPart((after) =>
        on.store.statistics.entryTimes(business, { first, last }, queue, after),
      );
      for await (const some of parts) {
        times.push(...some.map((entry) => JSON.stringify(Object.entries(entry).sort())));
      }
      return times.sort();
    },
  ),
  operation("businesses", [], (on) => on.store.businesses.list()),
  operation("businessBySlug", [fc.constantFrom("clinic", "salon", "spa")], (on, slug) =>
    on.store.businesses.bySlug(slug),
  ),
  operation("keys", [businessIds], (on, business) => on.store.keys.list(business)),
  operation("businessIdOf", [entryIds, queueIds, appointmentIds, keyIds], async (on, ...ids) => {
    const [entry, queue, appointment, key] = ids;
    return [
      await on.store.businesses.idOf("entry", entry),
      await on.store.businesses.idOf("queue", queue),
      await on.store.businesses.idOf("appointment", appointment),
      await on.store.businesses.idOf("key", key),
    ];
  }),
];

/** What was pruned. How many records of a replaced business are left depends on the store. */
async function prunedKinds(on: Run) {
  const { windows, sessions, passwordLinks } = await on.store.maintenance.prune();
  return { windows, sessions, passwordLinks };
}

const ownersWork = [
  addKey,
  importSpa,
  operation("revokeKey", [businessIds, keyIds], (on, business, key) =>
    on.store.keys.revoke(business, key, on.clock()),
  ),
  operation("setApiAccess", [businessIds, fc.boolean()], (on, business, access) =>
    on.store.businesses.change(business, { apiAccess: access }),
  ),
  operation("setDailyTokenLimit", [businessIds, fc.option(numbers)], (on, business, limit) =>
    on.store.businesses.change(business, { dailyTokenLimit: limit }),
  ),
  operation("setSandbox", [businessIds, fc.boolean()], (on, business, sandbox) =>
    on.store.businesses.change(business, { sandbox }),
  ),
  operation(
    "changeKey",
    [
      businessIds,
      keyIds,
      fc.record(
        {
          name: fc.constantFrom("Renamed", "Renamed again"),
          allowIps: fc.subarray(["203.0.113.7", "198.51.100.0/24", "2001:db8::1"]),
          requestsPerMinute: fc.constantFrom(1, 50),
          writesPerMinute: fc.constantFrom(1, 20),
        },
        { requiredKeys: [] },
      ),
    ],
    (on, business, key, change) => on.store.keys.change(business, key, change),
  ),
  operation("addQueue", [ownBusinessIds], (on, businessId) =>
    on.store.queues.add(businessId, { ...front, businessId, id: id(`queue${on.made++}`) }),
  ),
  operation(
    "changeQueue",
    [
      businessIds,
      queueIds,
      fc.record(
        {
          name: fc.constantFrom("Window", "Counter"),
          tokenSeries: fc.constantFrom("C", "DD"),
          isActive: fc.boolean(),
          isTokenCreationPaused: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    ],
    (on, business, queue, change) => on.store.queues.change(business, queue, change),
  ),
  operation("addService", [ownBusinessIds], (on, businessId) =>
    on.store.services.add(businessId, { ...consult, businessId, id: id(`service${on.made++}`) }),
  ),
  operation(
    "changeService",
    [
      businessIds,
      serviceIds.map((service) => service ?? id("noservice")),
      fc.record(
        {
          name: fc.constantFrom("Checkup", "Cut"),
          price: fc.option(fc.nat({ max: 500 })),
          baseTimeMinutes: fc.option(fc.nat({ max: 60 })),
          active: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    ],
    (on, business, service, change) => on.store.services.change(business, service, change),
  ),
  operation("addAppointment", [ownBusinessIds, dates], (on, businessId, date) =>
    on.store.appointments.add(businessId, appointment(`added${on.made++}`, { businessId, date })),
  ),
  operation(
    "changeAppointment",
    [
      businessIds,
      appointmentIds,
      fc.record(
        {
          date: dates,
          slotTime: fc.constantFrom("08:00", "10:30", "17:45"),
          status: fc.constantFrom(...appointmentStatuses),
          serviceId: serviceIds,
          customerName: names,
          notes: names,
        },
        { requiredKeys: [] },
      ),
    ],
    (on, business, appointment, change) =>
      on.store.appointments.change(business, appointment, change),
  ),
  operation("appendAudit", [ownBusinessIds], (on, businessId) =>
    on.store.audit.append([
      auditRow("one", { businessId, at: on.clock(), account: "anna@clinic.example" }),
      auditRow("two"),
    ]),
  ),
  operation(
    "appendSums",
    [ownBusinessIds, fc.integer({ min: 1, max: 9 })],
    (on, businessId, count) => {
      const at = on.clock();
      const row = { businessId, keyId: businessId, at, status: 429 };
      return on.store.audit.append([
        auditRow("sum", { ...row, sum: { count, lastAt: at } }),
        auditRow("more", { ...row, sum: { count: 1, lastAt: at } }),
      ]);
    },
  ),
  operation(
    "reorderQueues",
    [businessIds, fc.uniqueArray(queueIds, { maxLength: 4 })],
    (on, business, queues) => on.store.queues.reorder(business, queues),
  ),
  operation("removeQueue", [businessIds, queueIds], (on, business, queue) =>
    on.store.queues.remove(business, queue),
  ),
  operation("removeService", [businessIds, serviceIds], (on, business, service) =>
    on.store.services.remove(business, service ?? id("noservice")),
  ),
  operation("removeAppointment", [businessIds, appointmentIds], (on, business, appointment) =>
    on.store.appointments.remove(business, appointment),
  ),
  operation("prune", [], prunedKinds),
  operation("now", [], (on) => on.store.now()),
];

const writingALine = [
  { weight: 6, arbitrary: issue },
  { weight: 3, arbitrary: moveEntry },
  { weight: 2, arbitrary: transferEntry },
  { weight: 2, arbitrary: callNext },
  { weight: 1, arbitrary: correctEntry },
  { weight: 1, arbitrary: setPriority },
  { weight: 1, arbitrary: callIfNext },
];

/** Sequences of any operations, weighted towards the work of a day. */
export const sequences: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    ...writingALine,
    { weight: 3, arbitrary: page },
    { weight: 3, arbitrary: passTime },
    { weight: 3, arbitrary: admit },
    { weight: 5, arbitrary: fc.oneof(...readings) },
    { weight: 2, arbitrary: fc.oneof(...ownersWork) },
    { weight: 3, arbitrary: fc.oneof(...accountsWork) },
  ),
  { minLength: 1, maxLength: 80, size: "max" },
);

/** Operations on owner accounts, while time passes and businesses are replaced. */
export const accountSequences: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.oneof(...accountsWork) },
    { weight: 2, arbitrary: passTime },
    { weight: 1, arbitrary: operation("prune", [], prunedKinds) },
    { weight: 1, arbitrary: importSpa },
  ),
  { minLength: 1, maxLength: 80, size: "max" },
);

/** Only operations that change the entries of a day. */
export const lineWork: fc.Arbitrary<Operation[]> = fc.array(fc.oneof(...writingALine), {
  minLength: 1,
  maxLength: 120,
  size: "max",
});

/** Operations that change a board, and operations that do not. */
export const boardWork: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    ...writingALine,
    { weight: 1, arbitrary: passTime },
    { weight: 3, arbitrary: fc.oneof(...ownersWork) },
  ),
  { minLength: 1, maxLength: 30, size: "max" },
);
