import type { EntryStatus } from "@queue-api/contract";
import { addDays, businessDay, sameTimeOn } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import { storedPhone } from "../rules/phone.js";
import type { Entry, Service } from "../rules/records.js";
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
export function recordsOf(
  { services, queues, appointments, keys, ...settings }: SeedBusiness,
  { now, random, idTime = now }: SeedContext,
): SeedRecords {
  const businessId = newId(idTime, random);
  const business = {
    id: businessId,
    ...settings,
    longWaitMinutes: null,
    displayHash: null,
    displayQuery: "",
  };
  const { timezone } = business;
  const today = businessDay(now, timezone);
  const newIds = () => ({ id: newId(idTime, random), businessId, revision: 0 });

  const madeServices = services.map(({ ref, ...fields }) => {
    return { ref, record: { ...newIds(), ...fields } };
  });
  const serviceOf: ServicesByRef = new Map(madeServices.map(({ ref, record }) => [ref, record]));
  const madeQueues = queues.map(({ ref, entries, ...fields }) => {
    return { ref, entries, record: { ...newIds(), ...fields } };
  });
  const madeEntries = madeQueues.flatMap(({ record: queue, entries }) => {
    const lastNumbers = new Map<string, number>();
    return entries.map((seed) => {
      const date = resolveDay(seed.date, today);
      const lastNumber = lastNumbers.get(date) ?? 0;
      lastNumbers.set(date, lastNumber + 1);
      const at = now - seed.minutesAgo * minute;
      const issuedAt = businessDay(at, timezone) <= date ? at : sameTimeOn(date, at, timezone);
      const request = { id: newIds().id, queueId: queue.id, date, issuedAt };
      const service = serviceOf.get(seed.service) ?? null;
      const entry = newEntry(
        {
          ...request,
          serviceId: service?.id ?? null,
          customerName: seed.name,
          ...storedPhone(seed.phone),
          priority: seed.priority,
        },
        queue,
        { service, lastNumber, lastSequenceInDay: 0 },
      );
      const times = servedTimes(seed.status, entry, now);
      return { ref: seed.ref, record: { ...entry, status: seed.status, ...times } };
    });
  });
  const madeAppointments = appointments.map(({ ref, date, service, customer, ...fields }) => {
    const record = {
      ...newIds(),
      ...fields,
      date: resolveDay(date, today),
      serviceId: serviceOf.get(service)?.id ?? null,
      customerName: customer.name,
      ...storedPhone(customer.phone),
    };
    return { ref, record };
  });
  const madeKeys = keys.map(({ ref, expiresAt: named, revoked, ...options }) => {
    const made = makeKey(businessId, options, now, random, newId(idTime, random));
    const lifetime = options.days * millisecondsPerDay;
    const expiresAt = named === null ? now + lifetime : Date.parse(named);
    // A key that has expired was created before that.
    const createdAt = Math.min(now, expiresAt - lifetime);
    const revokedAt = revoked ? now : null;
    return { ref, key: made.key, record: { ...made.record, createdAt, expiresAt, revokedAt } };
  });

  return {
    records: {
      business,
      keys: madeKeys.map(recordIn),
      services: madeServices.map(recordIn),
      queues: madeQueues.map(recordIn),
      entries: inSequence(madeEntries.map(recordIn)),
      appointments: madeAppointments.map(recordIn),
    },
    seeded: {
      id: businessId,
      services: byRef(madeServices, idOf),
      queues: byRef(madeQueues, idOf),
      entries: byRef(madeEntries, idOf),
      appointments: byRef(madeAppointments, idOf),
      keys: byRef(madeKeys, ({ key }) => key),
    },
  };
}

/** The services of a file that have a ref. Nothing refers to the other ones. */
type ServicesByRef = ReadonlyMap<string | null | undefined, Service>;

/** A record, and its ref in the file. */
interface Made<Kept> {
  readonly ref?: string | undefined;
  readonly record: Kept;
}

function recordIn<Kept>({ record }: Made<Kept>): Kept {
  return record;
}

function idOf({ record }: Made<{ readonly id: string }>): string {
  return record.id;
}

/** The ids or keys of one kind by ref. Records without a ref are left out. */
function byRef<One extends Made<unknown>>(made: readonly One[], shown: (one: One) => string) {
  return Object.fromEntries(
    made.flatMap((one) => (one.ref === undefined ? [] : [[one.ref, shown(one)]])),
  ) as Record<string, string>;
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
