import { randomBytes } from "node:crypto";
import type { Appointment as Booked, Entry, QueueSummary } from "@queue-api/contract";
import { importSeed } from "@queue-api/server";
import fc from "fast-check";
import type { Answer } from "../support/answer.js";
import { type RequestOptions, request } from "../support/client.js";
import { type BusinessSeed, everyScope } from "../support/seed.js";
import type { Place } from "./place.js";

/*
 * The world: two businesses in different time zones, and what the model knows of them. Each case gets new ones.
 */

/** One of several words, as often as it is written. */
export const pick = (words: string) => fc.constantFrom(...words.split(" "));

const person = fc.record({
  queue: pick("front front front second paused closed"),
  service: pick("none short long free retired"),
  status: fc.constantFrom("WAITING", "WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"),
  priority: fc.boolean(),
  minutesAgo: fc.nat(20),
});
const appointment = fc.record({
  slotTime: pick("09:00 10:30 23:59"),
  service: pick("none short retired"),
  status: fc.constantFrom("CONFIRMED", "CONFIRMED", "CHECKED_IN", "CANCELLED", "NO_SHOW"),
});
const business = fc.record({
  dailyTokenLimit: fc.option(fc.nat(60), { freq: 2 }),
  requestsPerMinute: fc.integer({ min: 1, max: 25 }),
  writesPerMinute: fc.integer({ min: 1, max: 8 }),
  people: fc.array(person, { minLength: 6, maxLength: 24, size: "max" }),
  appointments: fc.array(appointment, { maxLength: 6 }),
});
export const plan = fc.tuple(business, business);
export type ValueOf<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;
type Plan = ValueOf<typeof business>;

/** The keys: all scopes and wide limits, except for what these say. */
function keysOf({ requestsPerMinute, writesPerMinute }: Plan) {
  const keys: Readonly<Record<string, object>> = {
    main: {},
    clerk: {}, // of the model itself
    leaving: {},
    reader: { scopes: ["queue:read"] },
    planner: { scopes: ["appointments:read"] },
    small: { requestsPerMinute, writesPerMinute },
    revoked: { revoked: true },
  };
  const wide = { requestsPerMinute: 1_000_000, writesPerMinute: 900_000 };
  const usual = { scopes: everyScope, revoked: false, ...wide };
  return Object.entries(keys).map(([ref, key]) => ({ ref, name: ref, ...usual, ...key }));
}
type Key = ReturnType<typeof keysOf>[number] & { readonly text: string };

const service = (name: string, baseTimeMinutes: number | null, active = true) => {
  return { name, price: baseTimeMinutes, baseTimeMinutes, active };
};
const services = [
  ...[service("short", 7), service("long", 25), service("free", 0), service("vague", null)],
  service("retired", 10, false),
];
const queue = (name: string, tokenSeries: string, isActive = true, paused = false) => {
  return { name, tokenSeries, isActive, isTokenCreationPaused: paused };
};
const queues = [
  ...[queue("front", "A"), queue("second", "B")],
  ...[queue("paused", "P", true, true), queue("closed", "C", false)],
];
type Service = ReturnType<typeof service> & { readonly id: string };
export type Queue = ReturnType<typeof queue> & { readonly id: string };

/** A person in a line: the entry as the API shows it, and what decides about its place. */
export interface Person extends Omit<Entry, "predictedWaitMinutes"> {
  readonly queueId: string;
  /** The minutes of work, as they were when the service was chosen. */
  readonly work: number | null;
  /** Places that the person left by a move to another queue. */
  readonly left: readonly { readonly queueId: string; readonly number: number }[];
  /** What an undo of the move to this queue brings back; null once anything else changed. */
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
  readonly id: string;
  readonly slug: string;
  readonly timezone: string | null;
  readonly today: string;
  readonly dailyTokenLimit: number | null;
  readonly apiAccess: boolean;
  readonly keys: Readonly<Record<string, Key>>;
  readonly services: readonly Service[];
  readonly queues: readonly Queue[];
  readonly people: ReadonlyMap<string, Person>;
  readonly appointments: readonly Appointment[];
  /** The tokens that the business created, in all queues, and those of its seed among them. */
  readonly created: number;
  readonly seeded: number;
  readonly receipts: ReadonlyMap<string, Receipt>;
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
interface Caller {
  readonly business: Business;
  readonly key?: string;
  readonly server?: number;
}

let addresses = 0;

/** Sends a request of the API from an address of its own, and notes it. Every request of the model goes through here. */
export async function send(
  { place, exchanges }: World,
  { business, key = "clerk", server = 0 }: Caller,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Exchange> {
  addresses += 1;
  const address = `10.${(addresses >> 16) & 127}.${(addresses >> 8) & 255}.${addresses & 255}`;
  const text = business.keys[key]?.text ?? (key === "garbage" ? "svc_live_nobody_nothing" : null);
  const authorization = text !== null && { Authorization: `Bearer ${text}` };
  const headers = { "X-Forwarded-For": address, ...authorization, ...options.headers };
  const sentAt = Date.now();
  const answer = await request(at(place.targets, server), method, path, { ...options, headers });
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

/** Time zones in which no day ends soon, so that `today` stays the same day for a case. */
function quietZones(now: number): (string | null)[] {
  const zones = [null, "Asia/Kolkata", "America/Los_Angeles", "Pacific/Auckland"];
  return zones.filter((zone) => {
    const hour = Number(partIn(zone, { hour: "2-digit", hourCycle: "h23" }, now));
    return hour >= 1 && hour <= 22;
  });
}

let cases = 0;

/** Creates the businesses of a case. */
export async function createWorld(place: Place, plans: readonly Plan[]): Promise<World> {
  const now = Date.now();
  const number = ++cases;
  const zones = quietZones(now);
  const world: World = { place, startedAt: now, businesses: [], exchanges: [] };
  const seeds = plans.map((one, index) => {
    const timezone = zones[index] ?? null;
    return { slug: `b${index}-${now}-${number}`, timezone, ...seedOf(one) };
  });
  const context = { now, random: randomBytes, replace: false };
  const seeded = await importSeed(place.store, { businesses: seeds }, context);
  const businesses = seeds.map(async ({ slug, timezone, dailyTokenLimit, keys }, index) => {
    const ids = seeded.businesses[slug];
    if (!ids) throw new Error(`the seed printed no business ${slug}`);
    const withId = <Item extends { name: string }>(of: Readonly<Record<string, string>>) => {
      return (item: Item) => ({ ...item, id: of[item.name] ?? "" });
    };
    const fresh: Business = {
      index,
      id: ids.id,
      slug,
      timezone,
      today: partIn(timezone, {}, now),
      dailyTokenLimit,
      apiAccess: true,
      receipts: new Map(),
      people: new Map(),
      appointments: [],
      created: 0,
      seeded: 0,
      services: services.map(withId(ids.services)),
      queues: queues.map(withId(ids.queues)),
      keys: Object.fromEntries(
        keys.map((key) => [key.name, { ...key, text: ids.keys[key.name] ?? "" }]),
      ),
    };
    const { lines, appointments } = await readTruth(world, fresh);
    const people = lines.flatMap(({ queueId, entries }) =>
      entries.map(({ predictedWaitMinutes: _, ...entry }): Person => {
        const work = workOf(fresh, entry.serviceId);
        return { ...entry, queueId, work, left: [], before: null };
      }),
    );
    return {
      ...fresh,
      seeded: people.length,
      created: people.length,
      people: new Map(people.map((one) => [one.id, one])),
      appointments: appointments.map((one) => ({ ...one, personId: null })),
    };
  });
  world.businesses.push(...(await Promise.all(businesses)));
  return world;
}

function seedOf(one: Plan) {
  const { dailyTokenLimit, people, appointments } = one;
  const withService = <Item extends { service: string }>({ service, ...item }: Item) => {
    return { ...item, service: service === "none" ? null : service };
  };
  return {
    name: "A business",
    dailyTokenLimit,
    keys: keysOf(one),
    services: services.map((service) => ({ ref: service.name, ...service })),
    queues: queues.map((queue) => {
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
  business: Business,
  path: string,
  query: Readonly<Record<string, string | number>>,
): Promise<{ readonly items: readonly Item[]; readonly cursors: readonly string[] }> {
  const items: Item[] = [];
  const cursors: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const options = { query: { ...query, ...(cursor && { cursor }) } };
    const { answer } = await send(world, { business }, "GET", path, options);
    if (answer.status !== 200) throw new Error(`GET ${path} was answered ${answer.text}`);
    items.push(...(answer.data as Item[]));
    cursor = (answer.json as { nextCursor?: string }).nextCursor ?? null;
    if (cursor !== null) cursors.push(cursor);
  }
  return { items, cursors };
}

/** Reads everything of a business while nothing runs. All of it is of today. */
export async function readTruth(world: World, business: Business) {
  const all = async <Item>(path: string, query = {}) => {
    return (await readList<Item>(world, business, path, query)).items;
  };
  const queues = await all<QueueSummary>("/v1/queues");
  const lines = queues.map(async ({ id: queueId }) => {
    const path = `/v1/queues/${queueId}`;
    const { answer } = await send(world, { business }, "GET", path);
    const entries = await all<Entry>(`${path}/entries`, { limit: 100 });
    return { queueId, summary: answer.data as QueueSummary, entries };
  });
  return {
    queues,
    lines: await Promise.all(lines),
    services: await all<Service>("/v1/services"),
    appointments: await all<Booked>("/v1/appointments"),
  };
}
export type Truth = Awaited<ReturnType<typeof readTruth>>;
