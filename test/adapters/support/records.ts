import { tokenAt } from "../../../server/src/rules/token.js";
import type {
  AppointmentRecord,
  AuditRecord,
  BusinessRecord,
  EntryRecord,
  SessionsRecord,
  StoredAccount,
  WindowsRecord,
} from "../../../server/src/store/tables.js";

/** An id that is readable in a failure: its name, padded to the length of an id. */
export function id(name: string): string {
  return `${name}x`.padEnd(24, "0"); // the x makes made1 and made10 different
}

export const today = "2026-11-21";
export const tomorrow = "2026-11-22";
export const clinic = id("clinic");
export const front = id("front");
export const back = id("back");

const noon = Date.UTC(2026, 10, 21, 12);

/** An entry with every field that can be empty. */
export function entryOf(number: number, change: Partial<EntryRecord> = {}): EntryRecord {
  const entry = {
    id: id(`e${number}`),
    businessId: clinic,
    queueId: front,
    date: today,
    tokenSeries: "A",
    tokenNumber: number,
    status: "WAITING" as const,
    priority: false,
    serviceId: null,
    workMinutes: null,
    customerName: null,
    customerPhone: null,
    phoneIsInternational: false,
    issuedAt: noon + number,
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    revision: 0,
    calls: 0,
    calledAgainAt: null,
    counter: null,
    placeInDay: number,
    earlierPlaces: [],
    appointmentId: null,
    keyed: null,
    changedAt: noon + number,
    ...change,
  };
  const tokens = [entry, ...entry.earlierPlaces].map(tokenAt);
  const services = entry.serviceId === null ? [] : [entry.serviceId];
  const uses = [
    ...new Set([entry, ...entry.earlierPlaces].map(({ queueId }) => queueId)),
    ...services,
  ];
  return { tokens, uses, ...entry };
}

/** The key `name` of an entry. */
export function keyedBy(name: string, keptUntil = noon): NonNullable<EntryRecord["keyed"]> {
  const { tokens, uses, keyed, changedAt, ...entry } = entryOf(1);
  const pace = { inService: 1, finished: 2, finishedMs: 60_000 };
  const line = { ahead: { people: 3, knownMinutes: 10, unknown: 1 }, pace };
  const receipt = { entry, line, location: `/v1/entries/${name}` };
  return { key: name, fingerprint: `of ${name}`, receipt, keptUntil };
}

/** An entry in which every field has a value. */
export const fullEntry = entryOf(7, {
  status: "COMPLETED",
  priority: true,
  serviceId: id("consult"),
  workMinutes: 15,
  customerName: 'Zoë 🎉 O\'Hara "quoted" \u2028 %_',
  customerPhone: "4915112345678",
  phoneIsInternational: true,
  startedAt: noon + 60_000,
  completedAt: noon + 90_000,
  canceledAt: noon + 100_000,
  revision: 4,
  calls: 2,
  calledAgainAt: noon + 61_000,
  counter: "Room 2",
  earlierPlaces: [
    {
      ...{ queueId: back, tokenSeries: "B", tokenNumber: 3, status: "IN_SERVICE" },
      ...{ startedAt: noon + 5, calls: 1, counter: null, leftAtRevision: 2 },
    },
  ],
  appointmentId: id("visit"),
  keyed: keyedBy("full"),
});

export function accountOf(name: string, change: Partial<StoredAccount> = {}): StoredAccount {
  return {
    ...{ id: id(name), businessId: clinic, email: `${name}@clinic.example`, role: "owner" },
    ...{ passwordHash: "$scrypt$", link: null, createdAt: noon, generation: 0 },
    ...change,
  };
}

/** A business with a queue, a service, a key and two accounts, all with its name. */
export function businessOf(name: string, change: Partial<BusinessRecord> = {}): BusinessRecord {
  const [businessId, createdAt] = [id(name), noon];
  const rest = { businessId, revision: 0 };
  return {
    ...{ id: businessId, slug: name, name: `The ${name}`, category: "clinic", timezone: null },
    ...{ apiAccess: true, dailyTokenLimit: 5, sandbox: false, longWaitMinutes: null },
    ...{ displayHash: `display of ${name}`, displayQuery: "theme=dark", revision: 2 },
    added: `mark of ${name}`,
    queues: [
      {
        ...{ id: id(`${name} queue`), name: "Front", tokenSeries: "A" },
        ...{ isActive: true, isTokenCreationPaused: false, ...rest },
      },
    ],
    services: [
      {
        id: id(`${name} service`),
        name: "Cut",
        price: 3,
        baseTimeMinutes: 5,
        active: true,
        ...rest,
      },
    ],
    keys: [
      {
        ...{ id: id(`${name} key`), name: "Kiosk", purpose: "owner", secretHash: "abc" },
        ...{ scopes: ["queue:write"], allowIps: [], requestsPerMinute: 5 },
        ...{ writesPerMinute: 5, createdAt, expiresAt: null, revokedAt: null, ...rest },
      },
    ],
    accounts: [
      accountOf(name, { businessId, link: { tokenHash: `link of ${name}`, expiresAt: noon } }),
      accountOf(`${name} staff`, { businessId, role: "staff", email: "staff@shared.example" }),
    ],
    used: [{ id: id(`${name} queue`), at: noon }],
    ...change,
  };
}

export function appointmentOf(
  name: string,
  change: Partial<AppointmentRecord> = {},
): AppointmentRecord {
  return {
    ...{ id: id(name), businessId: clinic, date: today, slotTime: "10:30", durationMinutes: 15 },
    ...{ status: "CONFIRMED", serviceId: null, customerName: "Asha", customerPhone: null },
    ...{ phoneIsInternational: false, notes: null, revision: 0, isRemoved: false },
    ...change,
  };
}

export function sessionsOf(name: string, change: Partial<SessionsRecord> = {}): SessionsRecord {
  const session = {
    tokenHash: `token of ${name}`,
    createdAt: noon,
    expiresAt: noon + 9,
    generation: 1,
  };
  return { id: id(name), businessId: clinic, sessions: [session], endsAt: noon + 9, ...change };
}

export function windowsOf(name: string, change: Partial<WindowsRecord> = {}): WindowsRecord {
  return {
    id: name,
    requests: { startedAt: noon, count: 1 },
    writes: null,
    endsAt: noon,
    ...change,
  };
}

export function auditOf(name: string, change: Partial<AuditRecord> = {}): AuditRecord {
  return {
    ...{ id: name, businessId: clinic, keyId: id("key"), account: null, at: noon, method: "GET" },
    ...{ path: "/v1/me", status: 200, ip: "192.0.2.1", requestId: "r1", sum: null, sumName: null },
    ...change,
  };
}
