import type { Appointment as Booked, Entry, QueueSummary, Scope } from "@queue-api/contract";
import fc from "fast-check";
import type { Visitor } from "../dashboard/support/visitor.js";
import type { Answer } from "../support/answer.js";
import { type RequestOptions, request } from "../support/client.js";
import { type BusinessSeed, everyScope } from "../support/seed.js";
import type { Place } from "./place.js";

/*
 * The world: three businesses in different time zones, and what the model knows of them. Each case gets new ones.
 */

/** One of several words, as often as it is written. */
export const pick = (words: string) => fc.constantFrom(...words.split(" "));

const person = fc.record({
  queue: pick("front front front second paused closed"),
  service: pick("none short long free retired"),
  status: fc.constantFrom("WAITING", "WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"),
  priority: fc.boolean(),
  date: pick("today today today today-1"),
  minutesAgo: fc.nat(20),
});
const appointment = fc.record({
  date: pick("today today today+1"),
  slotTime: pick("09:00 10:30 23:59"),
  service: pick("none short retired"),
  status: fc.constantFrom("CONFIRMED", "CONFIRMED", "CHECKED_IN", "CANCELLED", "NO_SHOW"),
});
const business = fc.record({
  dailyTokenLimit: fc.option(fc.nat(60), { freq: 2 }),
  requestsPerMinute: fc.integer({ min: 1, max: 25 }),
  writesPerMinute: fc.integer({ min: 1, max: 8 }),
  expiresInMs: fc.nat(2_000),
  /** How many queues it has: the first ones of {@link queues}. */
  queueCount: fc.constantFrom(5, 5, 3, 2),
  people: fc.array(person, { minLength: 6, maxLength: 24, size: "max" }),
  appointments: fc.array(appointment, { maxLength: 6 }),
});
export const plan = fc.tuple(business, business, business);
export type ValueOf<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;
type Plan = ValueOf<typeof business>;

interface Key {
  readonly text: string;
  readonly scopes: readonly Scope[];
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
  /** Null: not within the time of a case. */
  readonly expiresAt: number | null;
  readonly isRevoked: boolean;
}

type KeyOptions = Pick<Key, "scopes" | "requestsPerMinute" | "writesPerMinute"> & {
  readonly expiresAt: string;
  readonly revoked: boolean;
  readonly allowIps: readonly string[];
};

/** The keys: all scopes and wide limits, except for what these say. */
function keysOf({ requestsPerMinute, writesPerMinute, expiresInMs }: Plan, now: number) {
  const keys: Readonly<Record<string, Partial<KeyOptions>>> = {
    main: {},
    clerk: {},
    leaving: {},
    reader: { scopes: ["queue:read"] },
    writer: { scopes: ["queue:write"] },
    planner: { scopes: ["appointments:read"] },
    small: { requestsPerMinute, writesPerMinute },
    elsewhere: { allowIps: ["192.0.2.0/24"] },
    revoked: { revoked: true },
    expired: { expiresAt: new Date(now - 1_000).toISOString() },
    expiring: { expiresAt: new Date(now + 500 + expiresInMs).toISOString() },
  };
  const wide = { scopes: everyScope, requestsPerMinute: 1_000_000, writesPerMinute: 900_000 };
  return Object.entries(keys).map(([ref, key]) => ({ ref, name: ref, ...wide, ...key }));
}

const service = (name: string, baseTimeMinutes: number | null, active = true) => {
  return { name, price: baseTimeMinutes, baseTimeMinutes, active };
};
const services = [
  ...[service("short", 7), service("long", 25), service("free", 0), service("vague", null)],
  ...[service("retired", 10, false), service("new", 3)],
];
const queue = (name: string, tokenSeries: string, isActive = true, paused = false) => {
  return { name, tokenSeries, isActive, isTokenCreationPaused: paused };
};
const queues = [
  ...[queue("front", "A"), queue("second", "B"), queue("spare", "S")],
  ...[queue("paused", "P", true, true), queue("closed", "C", false)],
];
export type Service = ReturnType<typeof service> & { readonly id: string };
export type Queue = ReturnType<typeof queue> & { readonly id: string };

/** A person in a line: the entry as the API shows it, and what decides about its place. */
export interface Person extends Omit<Entry, "predictedWaitMinutes"> {
  readonly queueId: string;
  readonly date: string;
  /** The minutes of work, as they were when the service was chosen. */
  readonly work: number | null;
  /** Tokens that the person left by a transfer to another queue. */
  readonly left: readonly { readonly queueId: string; readonly number: number }[];
  /** What an undo of the transfer to this queue brings back; null once anything else changed. */
  readonly before: Person | null;
}

/** An appointment. Its status follows its person, once it has one. */
export type Appointment = Booked & { readonly personId: string | null };

/** A creation that succeeded with a key. */
interface Receipt {
  readonly print: string;
  readonly answer: Answer;
}

/** A business between two rounds. Queues and services go by their names. */
export interface Business {
  readonly index: number;
  readonly slug: string;
  readonly timezone: string | null;
  readonly today: string;
  readonly yesterday: string;
  readonly dailyTokenLimit: number | null;
  readonly apiAccess: boolean;
  readonly keys: Readonly<Record<string, Key>>;
  readonly services: readonly Service[];
  readonly queues: readonly Queue[];
  readonly people: ReadonlyMap<string, Person>;
  readonly appointments: readonly Appointment[];
  /** The tokens that the business created today, in all queues, and those of its seed among them. */
  readonly createdToday: number;
  readonly seededToday: number;
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly owner: readonly Visitor[];
}

/** A request of the API that was answered. */
export interface Exchange {
  readonly business: number;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
}

export interface World {
  readonly place: Place;
  readonly startedAt: number;
  readonly businesses: Business[];
  readonly exchanges: Exchange[];
}

/** Who sends a request, and to which process. */
export interface Caller {
  readonly business: Business;
  readonly key?: string;
  readonly server?: number;
  readonly address?: string;
}

/** Sends a request of the API and notes it. Every request of the model goes through here. */
export async function send(
  { place, exchanges }: World,
  { business, key = "clerk", server = 0, address = "10.254.0.1" }: Caller,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Exchange> {
  const text = business.keys[key]?.text ?? (key === "garbage" ? "svc_live_nobody_nothing" : null);
  const authorization = text !== null && { Authorization: `Bearer ${text}` };
  const headers = { "X-Forwarded-For": address, ...authorization, ...options.headers };
  const sentAt = Date.now();
  const target = at(place.targets, server);
  const answer = await request(target, method, path, { ...options, headers });
  const times = { sentAt, answeredAt: Date.now() };
  const exchange = { business: business.index, key, method, path, ...times, answer };
  exchanges.push(exchange);
  return exchange;
}

/** An item by any number. */
export function at<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("there is none to choose from");
  return item;
}

function partIn(timeZone: string | null, options: Intl.DateTimeFormatOptions, time: number) {
  return new Intl.DateTimeFormat("en-CA", { ...options, timeZone: timeZone ?? "UTC" }).format(time);
}

/** Three time zones in which no day ends soon, so that `today` stays the same day for a case. */
function quietZones(now: number): (string | null)[] {
  const zones = [null, "Asia/Kolkata", "America/Los_Angeles", "Pacific/Auckland", "Europe/Madrid"];
  return zones.filter((zone) => {
    const hour = Number(partIn(zone, { hour: "2-digit", hourCycle: "h23" }, now));
    return hour >= 1 && hour <= 22;
  });
}

let cases = 0;

/** Creates the businesses of a case, with the owner of each signed in. */
export async function createWorld(place: Place, plans: readonly Plan[]): Promise<World> {
  const now = Date.now();
  const number = ++cases;
  const zones = quietZones(now);
  const world: World = { place, startedAt: now, businesses: [], exchanges: [] };
  const seeds = plans.map((one, index) => {
    const timezone = zones[index] ?? null;
    return { slug: `b${index}-${now}-${number}`, timezone, ...seedOf(one, now) };
  });
  const seeded = await place.seed(seeds);
  const businesses = seeds.map(
    async ({ slug, timezone, dailyTokenLimit, keys, queues: { length } }, index) => {
      const own = queues.slice(0, length);
      const ids = seeded[slug];
      if (!ids) throw new Error(`the seed printed no business ${slug}`);
      const day = (days: number) => partIn(timezone, {}, now + days * 86_400_000);
      const withId = <Item extends { name: string }>(of: Readonly<Record<string, string>>) => {
        return (item: Item) => ({ ...item, id: of[item.name] ?? "" });
      };
      const fresh: Business = {
        index,
        slug,
        timezone,
        today: day(0),
        yesterday: day(-1),
        dailyTokenLimit,
        apiAccess: true,
        receipts: new Map(),
        owner: await place.signIn(slug),
        people: new Map(),
        appointments: [],
        createdToday: 0,
        seededToday: 0,
        services: services.map(withId(ids.services)),
        queues: own.map(withId(ids.queues)),
        keys: Object.fromEntries(
          keys.map(({ expiresAt, revoked: isRevoked = false, ...key }) => {
            const ends = expiresAt ? Date.parse(expiresAt) : null;
            return [
              key.name,
              { ...key, text: ids.keys[key.name] ?? "", expiresAt: ends, isRevoked },
            ];
          }),
        ),
      };
      const { lines, appointments } = await readTruth(world, fresh);
      const people = lines.flatMap(({ queueId, date, entries }) =>
        entries.map(({ predictedWaitMinutes: _, ...entry }): Person => {
          const work = workOf(fresh, entry.serviceId);
          return { ...entry, queueId, date, work, left: [], before: null };
        }),
      );
      const seededToday = people.filter(({ date }) => date === fresh.today).length;
      return {
        ...fresh,
        seededToday,
        createdToday: seededToday,
        people: new Map(people.map((one) => [one.id, one])),
        appointments: appointments.map((one) => ({ ...one, personId: null })),
      };
    },
  );
  world.businesses.push(...(await Promise.all(businesses)));
  return world;
}

function seedOf(one: Plan, now: number) {
  const { dailyTokenLimit, queueCount, people, appointments } = one;
  const withService = <Item extends { service: string }>({ service, ...item }: Item) => {
    return { ...item, service: service === "none" ? null : service };
  };
  return {
    name: "A business",
    dailyTokenLimit,
    keys: keysOf(one, now),
    services: services.map((service) => ({ ref: service.name, ...service })),
    queues: queues.slice(0, queueCount).map((queue) => {
      const own = people.filter(({ queue: name }) => name === queue.name);
      const entries = own.map(({ queue: _, ...entry }) => withService(entry));
      return { ref: queue.name, ...queue, entries };
    }),
    appointments: appointments.map(withService),
  } satisfies BusinessSeed;
}

/** The minutes of work of somebody who chooses a service now. */
export function workOf({ services }: Business, serviceId: string | null): number | null {
  return services.find(({ id }) => id === serviceId)?.baseTimeMinutes ?? null;
}

/** Reads all pages of a list. */
export async function readList<Item>(
  world: World,
  caller: Caller,
  path: string,
  query: Readonly<Record<string, string | number>>,
): Promise<{ readonly items: readonly Item[]; readonly cursors: readonly string[] }> {
  const items: Item[] = [];
  const cursors: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const options = { query: { ...query, ...(cursor && { cursor }) } };
    const { answer } = await send(world, caller, "GET", path, options);
    if (answer.status !== 200) throw new Error(`GET ${path} was answered ${answer.text}`);
    items.push(...(answer.data as Item[]));
    cursor = (answer.json as { nextCursor?: string }).nextCursor ?? null;
    if (cursor !== null) cursors.push(cursor);
  }
  return { items, cursors };
}

/** Reads everything of a business while nothing runs. */
export async function readTruth(world: World, business: Business) {
  const { today, yesterday } = business;
  const all = async <Item>(path: string, query = {}) => {
    return (await readList<Item>(world, { business }, path, query)).items;
  };
  const queues = await all<QueueSummary>("/v1/queues");
  const days = queues.flatMap(({ id }) => [today, yesterday].map((date) => ({ id, date })));
  const lines = await Promise.all(
    days.map(async ({ id: queueId, date }) => {
      const path = `/v1/queues/${queueId}`;
      const { answer } = await send(world, { business }, "GET", path, { query: { date } });
      const entries = await all<Entry>(`${path}/entries`, { date, limit: 100 });
      return { queueId, date, summary: answer.data as QueueSummary, entries };
    }),
  );
  const services = await all<Service>("/v1/services");
  const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
  const dates = [today, tomorrow].map((date) => all<Booked>("/v1/appointments", { date }));
  return { queues, lines, services, appointments: (await Promise.all(dates)).flat() };
}
export type Truth = Awaited<ReturnType<typeof readTruth>>;
