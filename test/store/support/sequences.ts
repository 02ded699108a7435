import { entryStatuses } from "@queue-api/contract";
import fc from "fast-check";
import { everyPart } from "../../../server/src/operations/every-part.js";
import type { AuditFilter } from "../../../server/src/rules/audit.js";
import { writeEntryCursor } from "../../../server/src/rules/cursor.js";
import type { Move } from "../../../server/src/rules/transitions.js";
import { start } from "./adapters.js";
import { allPages, audited } from "./audit.js";
import {
  addresses,
  appointmentIds,
  businessIds,
  dates,
  day,
  entryIds,
  keyIds,
  minute,
  names,
  type Operation,
  operation,
  queueIds,
  serviceIds,
} from "./operation.js";
import { accountsWork, importSpa, ownersWork, prune } from "./owners-work.js";
import { attempt, auditRow, failedAttempt, id, kiosk, today, tomorrow } from "./records.js";

const keyedRequests = fc.record({
  key: fc.constantFrom("key-0001", "key-0002"),
  fingerprint: fc.constantFrom("one body", "one body", "another"),
});
const moves: fc.Arbitrary<Move> = fc.constantFrom(
  ...([
    "cancel",
    "call",
    "call-again",
    "complete",
    "no-show",
    "requeue",
    "undo",
    "undo",
    "next",
    "priority",
    "no-priority",
  ] as const),
);
/** The revision that a change was decided on. Usually the current one. */
const revisions = fc.option(fc.nat({ max: 3 }));
const counters = fc.option(fc.constantFrom("counter 1", "counter 2"));
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

const issue = operation(
  "issueToken",
  [businessIds, queueIds, dates, serviceIds, fc.boolean(), names, fc.option(keyedRequests)],
  (on, businessId, queueId, date, serviceId, priority, customerName, keyed) => {
    const number = on.made++;
    const row = auditRow(`${number}`, { businessId, at: on.clock() });
    return audited(on.store, row).entries.issue(businessId, {
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
    fc.option(fc.tuple(queueIds, dates, fc.integer({ min: 0, max: 6 }))),
    fc.boolean(),
  ],
  (on, businessId, queueId, date, status, limit, place, orEarlier) => {
    const list = { kind: "entries", businessId, queueId: place?.[0] ?? queueId } as const;
    const after = place && writeEntryCursor(list, place[1], place[2]);
    return on.store.entries.page(businessId, queueId, date, status, { limit, after, orEarlier });
  },
);

const moveEntry = operation(
  "moveEntry",
  [businessIds, entryIds, moves, revisions, counters],
  (on, business, entry, by, seen, counter) =>
    audited(on.store, auditRow("move", { at: on.clock() })).entries.move(
      business,
      entry,
      by,
      on.clock(),
      { seen, counter },
    ),
);

const transferEntry = operation(
  "transferEntry",
  [businessIds, entryIds, queueIds, revisions],
  (on, businessId, entry, queueId, seen) =>
    audited(on.store, auditRow("transfer", { businessId, at: on.clock() })).entries.transfer(
      businessId,
      entry,
      queueId,
      { seen },
    ),
);

const correctEntry = operation(
  "correctEntry",
  [businessIds, entryIds, names, serviceIds, revisions],
  (on, businessId, entry, customerName, serviceId, seen) =>
    audited(on.store, auditRow("correct", { businessId, at: on.clock() })).entries.correct(
      businessId,
      entry,
      {
        ...{ customerName, customerPhone: "12345678", phoneIsInternational: true },
        ...{ serviceId, workMinutes: serviceId === null ? null : 7 },
      },
      { seen },
    ),
);

const callNext = operation(
  "callNext",
  [businessIds, queueIds, dates],
  (on, business, queue, date) => on.store.entries.callNext(business, queue, date, on.clock()),
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
  operation("linesByDay", [fc.subarray([today, tomorrow])], async (on, dates) => {
    const loads = await on.store.monitoring.linesByDay(dates);
    return loads.map((load) => JSON.stringify(Object.entries(load).sort())).sort();
  }),
  operation("businesses", [], (on) => on.store.businesses.list()),
  operation("businessBySlug", [fc.constantFrom("clinic", "salon", "spa")], (on, slug) =>
    on.store.businesses.find("slug", slug),
  ),
  operation("keys", [businessIds], (on, business) => on.store.keys.list(business)),
  operation("businessIdOf", [entryIds, queueIds, appointmentIds, keyIds], async (on, ...ids) => {
    const [entry, queue, appointment, key] = ids;
    return [
      await on.store.businesses.find("entry", entry),
      await on.store.businesses.find("queue", queue),
      await on.store.businesses.find("appointment", appointment),
      await on.store.businesses.find("key", key),
    ];
  }),
];

const writingALine = [
  { weight: 6, arbitrary: issue },
  { weight: 3, arbitrary: moveEntry },
  { weight: 2, arbitrary: transferEntry },
  { weight: 2, arbitrary: callNext },
  { weight: 1, arbitrary: correctEntry },
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
    { weight: 1, arbitrary: prune },
    { weight: 1, arbitrary: importSpa },
  ),
  { minLength: 1, maxLength: 80, size: "max" },
);

/** Operations that change a board, and operations that do not. */
export const boardWork: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    ...writingALine,
    { weight: 1, arbitrary: passTime },
    { weight: 3, arbitrary: fc.oneof(...ownersWork) },
  ),
  { minLength: 1, maxLength: 30, size: "max" },
);
