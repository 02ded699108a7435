import type { EntryStatus } from "@queue-api/contract";
import { addDays, businessDay, sameTimeOn } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import { storedPhone } from "../rules/phone.js";
import type { Entry } from "../rules/records.js";
import { newEntry } from "../rules/token-creation.js";
import type { CreationContext } from "./creation-context.js";
import type { BusinessImport } from "./import-business.js";
import { makeKey, millisecondsPerDay } from "./key.js";
import type { SeedBusiness } from "./seed-schema.js";

/** The ids and keys of a business's records, by their refs in the file. */
export interface SeededBusiness {
  readonly id: string;
  readonly services: Readonly<Record<string, string>>;
  readonly queues: Readonly<Record<string, string>>;
  readonly entries: Readonly<Record<string, string>>;
  readonly appointments: Readonly<Record<string, string>>;
  /** The complete keys, which are returned only here. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The records of a business of the file, and their ids by ref. */
export interface SeedRecords {
  readonly records: BusinessImport;
  readonly seeded: SeededBusiness;
}

/** How records are made from a seed file. `now` is the store's time, from which `today` and `minutesAgo` count. */
export interface SeedContext extends CreationContext {
  /** The time in the ids of the records. Default: `now`. */
  readonly idTime?: number;
}

/** Turns a checked business of the file into records with new ids. */
export function recordsOf(file: SeedBusiness, context: SeedContext): SeedRecords {
  const { now, random, idTime = now } = context;
  const { services, queues, appointments, keys, ...settings } = file;
  const businessId = newId(idTime, random);
  const { timezone } = settings;
  const today = businessDay(now, timezone);
  const refs = {
    services: new Map<string, string>(),
    queues: new Map<string, string>(),
    entries: new Map<string, string>(),
    appointments: new Map<string, string>(),
    keys: new Map<string, string>(),
  };
  /** The first fields of a new record. */
  const begin = (kind: keyof typeof refs, ref: string | undefined) => {
    const id = newId(idTime, random);
    if (ref !== undefined) refs[kind].set(ref, id);
    return { id, businessId, revision: 0 };
  };

  const madeServices = services.map(({ ref, ...fields }) => ({
    ...begin("services", ref),
    ...fields,
  }));
  const serviceOf = (ref: string | null) => {
    const id = ref === null ? undefined : refs.services.get(ref);
    return madeServices.find((service) => service.id === id) ?? null;
  };
  const filled = queues.map(({ ref, entries, ...fields }) => {
    return { queue: { ...begin("queues", ref), ...fields }, entries };
  });
  const madeEntries = filled.flatMap(({ queue, entries }) => {
    const lastNumbers = new Map<string, number>();
    return entries.map((seed) => {
      const date = resolveDay(seed.date, today);
      const lastNumber = lastNumbers.get(date) ?? 0;
      lastNumbers.set(date, lastNumber + 1);
      const at = now - seed.minutesAgo * minute;
      const service = serviceOf(seed.service);
      const request = {
        id: begin("entries", seed.ref).id,
        queueId: queue.id,
        date,
        issuedAt: businessDay(at, timezone) <= date ? at : sameTimeOn(date, at, timezone),
        serviceId: service?.id ?? null,
        customerName: seed.name,
        ...storedPhone(seed.phone),
        priority: seed.priority,
      };
      const entry = newEntry(request, queue, { service, lastNumber, lastSequenceInDay: 0 });
      return { ...entry, status: seed.status, ...servedTimes(seed.status, entry, now) };
    });
  });
  const madeAppointments = appointments.map(({ ref, date, service, customer, ...fields }) => ({
    ...begin("appointments", ref),
    ...fields,
    date: resolveDay(date, today),
    serviceId: serviceOf(service)?.id ?? null,
    customerName: customer.name,
    ...storedPhone(customer.phone),
  }));
  const madeKeys = keys.map(({ ref, expiresAt: named, revoked, ...options }) => {
    const { record, key } = makeKey(businessId, options, now, random, newId(idTime, random));
    if (ref !== undefined) refs.keys.set(ref, key);
    const lifetime = options.days * millisecondsPerDay;
    const expiresAt = named === null ? now + lifetime : Date.parse(named);
    // A key that has expired was created before that.
    const createdAt = Math.min(now, expiresAt - lifetime);
    return { ...record, createdAt, expiresAt, revokedAt: revoked ? now : null };
  });

  return {
    records: {
      business: {
        id: businessId,
        ...settings,
        longWaitMinutes: null,
        displayHash: null,
        displayQuery: "",
      },
      keys: madeKeys,
      services: madeServices,
      queues: filled.map(({ queue }) => queue),
      entries: inSequence(madeEntries),
      appointments: madeAppointments,
    },
    seeded: {
      id: businessId,
      services: Object.fromEntries(refs.services),
      queues: Object.fromEntries(refs.queues),
      entries: Object.fromEntries(refs.entries),
      appointments: Object.fromEntries(refs.appointments),
      keys: Object.fromEntries(refs.keys),
    },
  };
}

/** Entries of a business with their sequence in the day, by the time of their issue. Their order stays. */
export function inSequence(entries: readonly Entry[]): Entry[] {
  const sequences = new Map<Entry, number>();
  const lastSequences = new Map<string, number>();
  for (const entry of entries.toSorted((a, b) => a.issuedAt - b.issuedAt)) {
    const sequence = (lastSequences.get(entry.date) ?? 0) + 1;
    lastSequences.set(entry.date, sequence);
    sequences.set(entry, sequence);
  }
  return entries.map((entry) => ({ ...entry, sequenceInDay: sequences.get(entry) ?? 0 }));
}

/** Converts a day of a seed file (`2026-11-21`, `today`, `today+1`, `today-1`) to a calendar day. */
function resolveDay(written: string, today: string): string {
  if (!written.startsWith("today")) return written;
  return addDays(today, Number(written.slice("today".length)));
}

const minute = 60_000;

/** The maximum time that an entry waits before it is called or canceled. */
const maxWaitMs = 20 * minute;

/** The service time if the service has no base time. */
const usualMinutes = 10;

/**
 * Plausible times for an entry with this status. The service takes its base time if that has passed since the issue;
 * the wait takes half of the remaining time.
 */
function servedTimes(
  status: EntryStatus,
  { issuedAt, workMinutes }: Pick<Entry, "issuedAt" | "workMinutes">,
  now: number,
): Partial<Pick<Entry, "startedAt" | "completedAt" | "canceledAt">> {
  const room = Math.max(0, now - issuedAt);
  const serving = Math.min((workMinutes ?? usualMinutes) * minute, room);
  const wait = (left: number) => Math.floor(Math.min(left / 2, maxWaitMs));
  const startedAt = issuedAt + wait(room - serving);
  if (status === "IN_SERVICE") return { startedAt };
  if (status === "COMPLETED") return { startedAt, completedAt: startedAt + serving };
  return status === "CANCELED" ? { canceledAt: issuedAt + wait(room) } : {};
}
