import { appointmentStatuses } from "@queue-api/contract";
import fc from "fast-check";
import { importBusinesses } from "../../../server/src/owner/import-business.js";
import { newOwnerSession } from "../../../server/src/rules/owner-session.js";
import {
  addresses,
  appointmentIds,
  businessIds,
  dates,
  hour,
  keyIds,
  names,
  numbers,
  operation,
  ownBusinessIds,
  queueIds,
  type Run,
  serviceIds,
} from "./operation.js";
import {
  appointment,
  auditRow,
  clinic,
  consult,
  entry,
  front,
  id,
  importOf,
  invited,
  kiosk,
  owner,
  salon,
} from "./records.js";

const addKey = operation("addKey", [ownBusinessIds], (on, businessId) => {
  const number = on.made++;
  const expiresAt = number % 3 === 0 ? on.clock() + hour : null;
  const key = { ...kiosk, businessId, id: id(`key${number}`), createdAt: on.clock(), expiresAt };
  return on.store.keys.add(businessId, key);
});

/** Imports a business, or replaces the one that was imported before. Its ids are new each time. */
export const importSpa = operation("importBusinesses", [fc.boolean()], (on, replace) => {
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

export const accountsWork = [
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
      return on.store.accounts.add(
        businessId,
        invited(one, on.clock() + hour, `${token} ${on.made++}`),
      );
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
      const { link } = invited(one, on.clock() + hour, `link ${on.made++}`);
      const replaced = await on.store.accounts.replacePasswordLink(business, one.id, link);
      const whose = await on.store.accounts.byPasswordLink(link.tokenHash);
      const proof = { linkTokenHash: link.tokenHash };
      const set = used && (await on.store.accounts.setPassword(business, one.id, hash, proof));
      return [replaced, whose, set];
    },
  ),
  operation(
    "changePassword",
    [ownBusinessIds, ownerNumbers, passwords, passwords],
    (on, business, number, from, to) =>
      on.store.accounts.setPassword(business, ownerNumbered(number, business).id, to, {
        passwordHash: from,
      }),
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

/** What was pruned. How many records of a replaced business are left depends on the store. */
async function prunedKinds(on: Run) {
  const { windows, sessions } = await on.store.maintenance.prune();
  return { windows, sessions };
}

export const prune = operation("prune", [], prunedKinds);

export const ownersWork = [
  addKey,
  importSpa,
  operation("revokeKey", [businessIds, keyIds], (on, business, key) =>
    on.store.keys.change(business, key, { revokedAt: on.clock() }),
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
  prune,
  operation("now", [], (on) => on.store.now()),
];
