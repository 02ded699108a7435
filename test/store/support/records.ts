import type { Store } from "../../../server/src/operations/store.js";
import type { CreationRequest } from "../../../server/src/operations/token-creation.js";
import {
  type BusinessImport,
  importBusinesses,
} from "../../../server/src/owner/import-business.js";
import type { Attempt } from "../../../server/src/rules/admission.js";
import { hashSecret } from "../../../server/src/rules/key.js";
import type {
  Account,
  ApiKey,
  Appointment,
  AuditRow,
  Business,
  Entry,
  Queue,
  Service,
} from "../../../server/src/rules/records.js";
import { untouched } from "../../../server/src/rules/token-creation.js";
import { start } from "./adapters.js";

/** An id that is readable in a failure: its name, padded to the length of an id. */
export function id(name: string): string {
  return `${name}x`.padEnd(24, "0"); // the x makes made1 and made10 different
}

export const today = "2026-11-21";
export const tomorrow = "2026-11-22";

export const clinic: Business = {
  id: id("clinic"),
  slug: "clinic",
  name: "Clinic",
  category: "clinic",
  timezone: "Asia/Kolkata",
  apiAccess: true,
  dailyTokenLimit: null,
  sandbox: false,
  longWaitMinutes: null,
  displayHash: null,
  displayQuery: "",
};

export const salon: Business = {
  ...clinic,
  id: id("salon"),
  slug: "salon",
  name: "Salon",
  category: null,
  timezone: null,
  dailyTokenLimit: 5,
  sandbox: true,
};

export const consult: Service = {
  id: id("consult"),
  businessId: clinic.id,
  name: "Consultation",
  price: 300,
  baseTimeMinutes: 15,
  active: true,
  revision: 0,
};

/** A service without a base time. */
export const advice: Service = {
  ...consult,
  id: id("advice"),
  name: "Advice",
  price: null,
  baseTimeMinutes: null,
};

export const retired: Service = { ...consult, id: id("retired"), name: "Retired", active: false };

export const haircut: Service = { ...consult, id: id("haircut"), businessId: salon.id };

export const front: Queue = {
  id: id("front"),
  businessId: clinic.id,
  name: "Front desk",
  tokenSeries: "A",
  isActive: true,
  isTokenCreationPaused: false,
  revision: 0,
};

export const back: Queue = { ...front, id: id("back"), name: "Back room", tokenSeries: "B" };

export const chair: Queue = { ...front, id: id("chair"), businessId: salon.id, name: "Chair" };

/** The secret of every key in these tests. */
const secret = "s3cret";

export const kiosk: ApiKey = {
  id: id("kiosk"),
  businessId: clinic.id,
  name: "Kiosk",
  purpose: "owner",
  secretHash: hashSecret(secret),
  scopes: ["queue:read", "queue:write"],
  allowIps: [],
  requestsPerMinute: 5,
  writesPerMinute: 2,
  createdAt: start - 1000,
  expiresAt: null,
  revokedAt: null,
  revision: 0,
};

export const mirror: ApiKey = {
  ...kiosk,
  id: id("mirror"),
  businessId: salon.id,
  name: "Mirror",
  purpose: "demo",
};

export function appointment(name: string, changes: Partial<Appointment> = {}): Appointment {
  return {
    id: id(name),
    businessId: clinic.id,
    date: today,
    slotTime: "10:30",
    durationMinutes: 15,
    status: "CONFIRMED",
    serviceId: consult.id,
    customerName: "Customer 2",
    customerPhone: "919800000002",
    phoneIsInternational: true,
    notes: "first visit",
    revision: 0,
    ...changes,
  };
}

export function entry(tokenNumber: number, changes: Partial<Entry> = {}): Entry {
  return {
    id: id(`entry${tokenNumber}`),
    businessId: clinic.id,
    queueId: front.id,
    date: today,
    tokenSeries: "A",
    tokenNumber,
    status: "WAITING",
    priority: false,
    serviceId: null,
    workMinutes: null,
    customerName: "Customer 1",
    customerPhone: "919800000001",
    phoneIsInternational: false,
    issuedAt: start,
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    sequenceInDay: tokenNumber,
    appointmentId: null,
    ...untouched,
    ...changes,
  };
}

export function auditRow(name: string, changes: Partial<AuditRow> = {}): AuditRow {
  return {
    businessId: clinic.id,
    keyId: kiosk.id,
    account: null,
    at: start,
    method: "GET",
    path: `/v1/${name}`,
    status: 200,
    ip: "203.0.113.7",
    requestId: `00000000-0000-4000-8000-${name.padStart(12, "0")}`,
    sum: null,
    ...changes,
  };
}

/** An account with the role `owner`, without a password. */
export function account(name: string, changes: Partial<Account> = {}): Account {
  return {
    id: id(name),
    businessId: clinic.id,
    email: `${name}@clinic.example`,
    passwordHash: null,
    link: null,
    role: "owner",
    createdAt: start,
    generation: 0,
    ...changes,
  };
}

/** The account with a link. A test can choose the hash of its token. */
export function invited(one: Account, expiresAt: number, tokenHash = `link of ${one.id}`) {
  return { ...one, link: { tokenHash, expiresAt } };
}

export function importOf(business: Business, parts: Partial<BusinessImport> = {}): BusinessImport {
  return { business, keys: [], services: [], queues: [], entries: [], appointments: [], ...parts };
}

/** The clinic that most tests use, and a salon with its own queue. */
export async function settle(
  store: Store,
  parts: Partial<BusinessImport> = {},
  ofSalon: Partial<BusinessImport> = {},
): Promise<void> {
  await importBusinesses(
    store,
    [
      importOf(clinic, {
        keys: [kiosk],
        services: [consult, advice, retired],
        queues: [front, back],
        ...parts,
      }),
      importOf(salon, { keys: [mirror], services: [haircut], queues: [chair], ...ofSalon }),
    ],
    { replace: false },
  );
}

export function token(name: string, changes: Partial<CreationRequest> = {}): CreationRequest {
  return {
    id: id(name),
    queueId: front.id,
    date: today,
    serviceId: null,
    customerName: "Customer 1",
    customerPhone: "919800000001",
    phoneIsInternational: false,
    priority: false,
    issuedAt: start,
    keyed: null,
    ...changes,
  };
}

export function attempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    address: "203.0.113.7",
    subject: "203.0.113.7",
    credentials: { keyId: kiosk.id, secretHash: kiosk.secretHash },
    write: false,
    ...changes,
  };
}

/** An attempt with the wrong secret. */
export function failedAttempt(changes: Partial<Attempt> = {}): Attempt {
  const credentials = { keyId: kiosk.id, secretHash: hashSecret("wrong") };
  return attempt({ credentials, ...changes });
}
