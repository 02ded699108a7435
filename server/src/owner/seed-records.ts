import { businessDay } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import { untouched } from "../rules/issue.js";
import { storedPhone } from "../rules/phone.js";
import type { Random } from "../rules/ports.js";
import type { Appointment, Business, Entry, Queue, Service } from "../rules/records.js";
import type { BusinessImport } from "../store/import-business.js";
import { makeKey, millisecondsPerDay, type NewKey } from "./key.js";
import type { SeedAppointment, SeedBusiness, SeedEntry, SeedKey } from "./seed-schema.js";
import { onEarlierDay, resolveDay, servedTimes } from "./seed-times.js";

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

/** The values that all records of a business use. */
interface Maker {
  readonly business: Business;
  readonly today: string;
  readonly now: number;
  readonly random: Random;
  readonly idTime: number;
}

/** Turns a checked business of the file into records with new ids. `idTime`: the time in the ids. */
export function recordsOf(
  seed: SeedBusiness,
  now: number,
  random: Random,
  idTime = now,
): SeedRecords {
  const business: Business = {
    id: newId(idTime, random),
    slug: seed.slug,
    name: seed.name,
    category: seed.category,
    timezone: seed.timezone,
    apiAccess: seed.apiAccess,
    dailyTokenLimit: seed.dailyTokenLimit,
    sandbox: seed.sandbox,
    longWaitMinutes: null,
    displayHash: null,
  };
  const maker = { business, today: businessDay(now, business.timezone), now, random, idTime };

  const services = seed.services.map(({ ref: _, ...kept }) => ({ ...owned(maker), ...kept }));
  const offered: Offered = new Map(
    pairs(seed.services, services).flatMap(([{ ref }, service]) =>
      ref === undefined ? [] : [[ref, service]],
    ),
  );
  const queues = seed.queues.map(({ ref: _, entries: __, ...kept }) => ({
    ...owned(maker),
    ...kept,
  }));
  const seedEntries = seed.queues.flatMap((queue) => queue.entries);
  const entries = inPlaces(
    pairs(seed.queues, queues).flatMap(([{ entries }, queue]) =>
      entriesOf(maker, entries, queue, offered),
    ),
  );
  const appointments = seed.appointments.map((one) => appointmentOf(maker, one, offered));
  const keys = seed.keys.map((one) => keyOf(maker, one));

  return {
    records: {
      business,
      keys: keys.map(({ record }) => record),
      services,
      queues,
      entries,
      appointments,
    },
    seeded: {
      id: business.id,
      services: byRef(seed.services, services, idOf),
      queues: byRef(seed.queues, queues, idOf),
      entries: byRef(seedEntries, entries, idOf),
      appointments: byRef(seed.appointments, appointments, idOf),
      keys: byRef(seed.keys, keys, ({ key }) => key),
    },
  };
}

const idOf = ({ id }: { id: string }) => id;

function owned({ business, random, idTime }: Maker): { id: string; businessId: string } {
  return { id: newId(idTime, random), businessId: business.id };
}

/** An entry without its place among all entries of its day. */
export type UnplacedEntry = Omit<Entry, "placeInDay">;

/** Entries of a business with their places, by the time of their issue. Their order stays. */
export function inPlaces(entries: readonly UnplacedEntry[]): Entry[] {
  const places = new Map<UnplacedEntry, number>();
  const taken = new Map<string, number>();
  for (const entry of entries.toSorted((a, b) => a.issuedAt - b.issuedAt)) {
    const place = (taken.get(entry.date) ?? 0) + 1;
    taken.set(entry.date, place);
    places.set(entry, place);
  }
  return entries.map((entry) => ({ ...entry, placeInDay: places.get(entry) ?? 0 }));
}

/** Services by ref. */
type Offered = ReadonlyMap<string | null, Service>;

/** The entries of one queue. Token numbers start at 1 on each day, in the order of the file. */
function entriesOf(
  maker: Maker,
  seeds: readonly SeedEntry[],
  queue: Queue,
  offered: Offered,
): UnplacedEntry[] {
  const { business, today, now } = maker;
  const issued = new Map<string, number>();
  return seeds.map((seed) => {
    const date = resolveDay(seed.date, today);
    const tokenNumber = (issued.get(date) ?? 0) + 1;
    issued.set(date, tokenNumber);
    const service = offered.get(seed.service) ?? null;
    const workMinutes = service?.baseTimeMinutes ?? null;
    const at = now - seed.minutesAgo * 60_000;
    const issuedAt = date < today ? onEarlierDay(date, at, business.timezone) : at;
    const times = servedTimes(seed.status, issuedAt, workMinutes, now);
    return {
      ...owned(maker),
      queueId: queue.id,
      date,
      tokenSeries: queue.tokenSeries,
      tokenNumber,
      status: seed.status,
      priority: seed.priority,
      serviceId: service?.id ?? null,
      workMinutes,
      customerName: seed.name,
      ...storedPhone(seed.phone),
      issuedAt,
      startedAt: times.startedAt,
      completedAt: times.completedAt,
      canceledAt: times.canceledAt,
      ...untouched,
    };
  });
}

function appointmentOf(maker: Maker, seed: SeedAppointment, offered: Offered): Appointment {
  return {
    ...owned(maker),
    date: resolveDay(seed.date, maker.today),
    slotTime: seed.slotTime,
    durationMinutes: seed.durationMinutes,
    status: seed.status,
    serviceId: offered.get(seed.service)?.id ?? null,
    customerName: seed.customer.name,
    ...storedPhone(seed.customer.phone),
    notes: seed.notes,
    entryId: null,
  };
}

/** Makes a key. If the file sets `expiresAt`, the key's creation is earlier by its lifetime, so that it precedes the expiry. */
function keyOf({ business, now, random, idTime }: Maker, seed: SeedKey): NewKey {
  const { ref: _, expiresAt: named, revoked, ...options } = seed;
  const made = makeKey(business.id, options, now, random, newId(idTime, random));
  const lifetime = options.days * millisecondsPerDay;
  const expiresAt = named === null ? now + lifetime : Date.parse(named);
  const createdAt = Math.min(now, expiresAt - lifetime);
  const revokedAt = revoked ? now : null;
  return { ...made, record: { ...made.record, createdAt, expiresAt, revokedAt } };
}

/** The ids or keys of one kind by ref. Records without a ref are left out. */
function byRef<Made>(
  seeds: readonly { readonly ref?: string | undefined }[],
  made: readonly Made[],
  shown: (one: Made) => string,
): Record<string, string> {
  return Object.fromEntries(
    pairs(seeds, made).flatMap(([{ ref }, one]) => (ref === undefined ? [] : [[ref, shown(one)]])),
  );
}

/** Each part of the file with its record. */
function pairs<Seed, Made>(seeds: readonly Seed[], made: readonly Made[]): [Seed, Made][] {
  return made.flatMap((one, at) => {
    const seed = seeds[at];
    return seed === undefined ? [] : [[seed, one]];
  });
}
