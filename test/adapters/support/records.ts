import { entryRecord } from "../../../server/src/operations/entry-record.js";
import type {
  AppointmentRecord,
  AuditRecord,
  BusinessRecord,
  EntryRecord,
  SessionsRecord,
  WindowsRecord,
} from "../../../server/src/store/tables.js";
import { start } from "../../store/support/adapters.js";
import * as rules from "../../store/support/records.js";

export { id, today, tomorrow } from "../../store/support/records.js";

const { id } = rules;
export const clinic = rules.clinic.id;
export const front = rules.front.id;
export const back = rules.back.id;

/** An entry in which every field that can be empty is empty. */
export function entryOf(number: number, change: Partial<EntryRecord> = {}): EntryRecord {
  const empty = { id: id(`e${number}`), customerName: null, customerPhone: null };
  const { keyed = null, changedAt = start + number, tokens, uses, ...own } = change;
  const record = entryRecord(rules.entry(number, { ...empty, ...own }), keyed, changedAt);
  return { ...record, ...(tokens && { tokens }), ...(uses && { uses }) };
}

/** The key `name` of an entry. */
export function keyedBy(name: string, keptUntil = start): NonNullable<EntryRecord["keyed"]> {
  const pace = { inService: 1, finished: 2, finishedMs: 60_000 };
  const line = { ahead: { people: 3, knownMinutes: 10, unknown: 1 }, pace };
  const receipt = { entry: rules.entry(1), line, location: `/v1/entries/${name}` };
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
  startedAt: start + 60_000,
  completedAt: start + 90_000,
  canceledAt: start + 100_000,
  revision: 4,
  calls: 2,
  calledAgainAt: start + 61_000,
  counter: "Room 2",
  earlierTokens: [
    {
      queueId: back,
      tokenSeries: "B",
      tokenNumber: 3,
      status: "IN_SERVICE",
      startedAt: start + 5,
      calls: 1,
      counter: null,
      leftAtRevision: 2,
    },
  ],
  appointmentId: id("visit"),
  keyed: keyedBy("full"),
});

/** A business with a queue, a service, a key and two accounts, all with its name. */
export function businessOf(name: string, change: Partial<BusinessRecord> = {}): BusinessRecord {
  const own = { businessId: id(name) };
  const link = { tokenHash: `link of ${name}`, expiresAt: start };
  const owner = rules.account(name, { ...own, link, passwordHash: "$scrypt$" });
  const staff = { ...owner, id: id(`${name} staff`), email: "staff@shared.example" };
  return {
    ...rules.clinic,
    id: id(name),
    slug: name,
    dailyTokenLimit: 5,
    displayHash: `display of ${name}`,
    displayQuery: "theme=dark",
    added: `ordered id of ${name}`,
    queues: [{ ...rules.front, ...own, id: id(`${name} queue`) }],
    services: [{ ...rules.consult, ...own, id: id(`${name} service`) }],
    keys: [{ ...rules.kiosk, ...own, id: id(`${name} key`) }],
    accounts: [owner, { ...staff, role: "staff", link: null }],
    used: [{ id: id(`${name} queue`), at: start }],
    ...change,
  };
}

export function appointmentOf(
  name: string,
  change: Partial<AppointmentRecord> = {},
): AppointmentRecord {
  const empty = { serviceId: null, customerPhone: null, phoneIsInternational: false, notes: null };
  return { ...rules.appointment(name), ...empty, isRemoved: false, checkInAt: null, ...change };
}

export function sessionsOf(name: string, change: Partial<SessionsRecord> = {}): SessionsRecord {
  const times = { createdAt: start, expiresAt: start + 9, generation: 1 };
  const sessions = [{ tokenHash: `token of ${name}`, ...times }];
  return { id: id(name), businessId: clinic, sessions, endsAt: start + 9, ...change };
}

export function windowsOf(name: string, change: Partial<WindowsRecord> = {}): WindowsRecord {
  const requests = { startedAt: start, count: 1 };
  return { id: name, requests, writes: null, endsAt: start, ...change };
}

export function auditOf(name: string, change: Partial<AuditRecord> = {}): AuditRecord {
  return { ...rules.auditRow(name), id: name, sumName: null, ...change };
}
