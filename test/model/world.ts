import { randomBytes, randomUUID } from "node:crypto";
import type { Entry, Appointment as ShownAppointment } from "@queue-api/contract";
import { importSeed } from "@queue-api/server";
import fc from "fast-check";
import type { Visitor } from "../dashboard/support/visitor.js";
import type { Answer } from "../support/answer.js";
import { type BusinessSeed, everyScope } from "../support/seed.js";
import { type Place, signIn } from "./place.js";

/*
 * The world: three businesses in different time zones, and what the model knows of them. Each case gets new ones.
 */

export type ValueOf<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

/** One of several words, as often as it is written. */
export const pick = (words: string) => fc.constantFrom(...words.split(" "));

const person = fc.record({
  queue: pick("front front front second paused closed"),
  service: fc.constantFrom(null, "short", "long", "free", "retired"),
  status: fc.constantFrom("WAITING", "WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"),
  priority: fc.boolean(),
  date: pick("today today today today-1"),
  minutesAgo: fc.nat(20),
});
const appointment = fc.record({
  slotTime: pick("09:00 10:30 23:59"),
  /** Services that stay as they are, because a check-in leaves out one that is not offered. */
  service: fc.constantFrom(null, "free"),
  status: fc.constantFrom("CONFIRMED", "CONFIRMED", "CHECKED_IN", "CANCELLED", "NO_SHOW"),
});
const business = fc.record({
  /** How many tokens a day it may create beside those that it begins with. */
  furtherTokens: fc.option(fc.nat(30), { freq: 2 }),
  requestsPerMinute: fc.integer({ min: 1, max: 25 }),
  writesPerMinute: fc.integer({ min: 1, max: 8 }),
  expiresInMs: fc.nat(2_000),
  /** How many queues it has: the first ones of {@link queues}. */
  queueCount: fc.constantFrom(5, 5, 3, 2),
  people: fc.array(person, { minLength: 6, maxLength: 24, size: "max" }),
  appointments: fc.array(appointment, { maxLength: 6 }),
});
export const plan = fc.tuple(business, business, business);
type Plan = ValueOf<typeof business>;

const service = (name: string, baseTimeMinutes: number | null, active = true) => {
  return { ref: name, name, price: baseTimeMinutes, baseTimeMinutes, active };
};
const services = [
  service("short", 7),
  service("long", 25),
  service("free", 0),
  service("vague", null),
  service("retired", 10, false),
  service("new", 3),
];
const queue = (name: string, tokenSeries: string, isActive = true, paused = false) => {
  return { ref: name, name, tokenSeries, isActive, isTokenCreationPaused: paused };
};
const queues = [
  queue("front", "A"),
  queue("second", "B"),
  queue("spare", "S"),
  queue("paused", "P", true, true),
  queue("closed", "C", false, true),
];
type Service = ReturnType<typeof service> & { readonly id: string };
export type Queue = ReturnType<typeof queue> & { readonly id: string };

/** The keys: all scopes and wide limits, except for what these say. */
function keysOf({ requestsPerMinute, writesPerMinute, expiresInMs }: Plan, now: number) {
  const endsIn = (ms: number) => ({ expiresAt: new Date(now + ms).toISOString() });
  const keys: Readonly<Record<string, object>> = {
    main: {},
    leaving: {},
    reader: { scopes: ["queue:read"] },
    writer: { scopes: ["queue:write"] },
    planner: { scopes: ["appointments:read"] },
    small: { requestsPerMinute, writesPerMinute },
    elsewhere: { allowIps: ["192.0.2.0/24"] },
    revoked: { revoked: true },
    expired: endsIn(-1_000),
    expiring: endsIn(500 + expiresInMs),
  };
  const limits = { requestsPerMinute: 1_000_000, writesPerMinute: 900_000 };
  const usual = { scopes: everyScope, expiresAt: null, revoked: false, ...limits };
  return Object.entries(keys).map(([name, key]) => ({ ref: name, name, ...usual, ...key }));
}
type Key = ReturnType<typeof keysOf>[number] & { readonly text: string };

/** A person in a line: the entry as the API shows it, and what decides about its place. */
export interface Person extends Omit<Entry, "predictedWaitMinutes"> {
  readonly queueId: string;
  readonly date: string;
  /** The minutes of work, as they were when the service was chosen. */
  readonly work: number | null;
  /** What an undo of the transfer to this queue brings back; null once anything else changed. */
  readonly before: Person | null;
}

/** An appointment. Its status follows its person, once it has one. */
export type Appointment = ShownAppointment & { readonly personId: string | null };

/** A creation that succeeded with an Idempotency-Key: what was sent, and its answer. */
export interface Receipt {
  readonly print: string;
  readonly answer: Answer;
}

/** A business between two rounds. */
export interface Business {
  readonly index: number;
  readonly slug: string;
  readonly today: string;
  readonly yesterday: string;
  readonly dailyTokenLimit: number | null;
  readonly apiAccess: boolean;
  /** By name. */
  readonly keys: Readonly<Record<string, Key>>;
  readonly services: readonly Service[];
  readonly queues: readonly Queue[];
  readonly people: ReadonlyMap<string, Person>;
  readonly appointments: readonly Appointment[];
  /** The tokens that the business created today, in all queues. */
  readonly createdToday: number;
  /** By Idempotency-Key. */
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** Who got each number of a queue and day. */
  readonly numbers: Map<string, string>;
  /** The owner, signed in at each process. */
  readonly owner: readonly Visitor[];
}

/** An item by any number. */
export function at<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("there is none to choose from");
  return item;
}

/** Three time zones in which no day ends soon, so that `today` stays the same day for a case. */
function quietZones(now: number): (string | null)[] {
  const zones = [null, "Asia/Kolkata", "America/Los_Angeles", "Pacific/Auckland", "Europe/Madrid"];
  return zones.filter((zone) => {
    const options = { timeZone: zone ?? "UTC", hour: "2-digit" } as const;
    const hour = Number(new Date(now).toLocaleString("en-GB", options));
    return hour >= 1 && hour <= 22;
  });
}

/** Adds the businesses of a case. The model finds their people and appointments in their lists. */
export async function addBusinesses(place: Place, plans: readonly Plan[]): Promise<Business[]> {
  const now = Date.now();
  const zones = quietZones(now);
  const seeds = plans.map((plan, index) => {
    const timezone = zones[index] ?? null;
    return { slug: `b${index}-${randomUUID()}`, timezone, ...seedOf(plan, now) };
  });
  const context = { now, random: randomBytes, replace: false };
  const { businesses } = await importSeed(place.store, { businesses: seeds }, context);
  const added = seeds.map(async ({ slug, timezone, dailyTokenLimit, ...seed }, index) => {
    const ids = businesses[slug];
    if (!ids) throw new Error(`the seed has no business ${slug}`);
    const dayIn = (days: number) => {
      const date = new Date(now + days * 86_400_000);
      return date.toLocaleDateString("en-CA", { timeZone: timezone ?? "UTC" });
    };
    const keys = seed.keys.map((key) => [key.name, { ...key, text: ids.keys[key.name] ?? "" }]);
    return {
      index,
      slug,
      today: dayIn(0),
      yesterday: dayIn(-1),
      dailyTokenLimit,
      apiAccess: true,
      keys: Object.fromEntries(keys),
      services: seed.services.map((one) => ({ ...one, id: ids.services[one.ref] ?? "" })),
      queues: seed.queues.map(({ entries: _, ...one }) => ({
        ...one,
        id: ids.queues[one.ref] ?? "",
      })),
      people: new Map(),
      appointments: [],
      createdToday: 0,
      receipts: new Map(),
      numbers: new Map(),
      owner: await signIn(place, slug),
    };
  });
  return Promise.all(added);
}

function seedOf(plan: Plan, now: number) {
  const { people, furtherTokens, appointments } = plan;
  const own = queues.slice(0, plan.queueCount).map((queue) => {
    const entries = people.filter((person) => person.queue === queue.name);
    return { ...queue, entries: entries.map(({ queue: _, ...entry }) => entry) };
  });
  const today = own.flatMap(({ entries }) => entries).filter(({ date }) => date === "today");
  return {
    name: "A business",
    dailyTokenLimit: furtherTokens === null ? null : today.length + furtherTokens,
    keys: keysOf(plan, now),
    services,
    queues: own,
    appointments,
  } satisfies BusinessSeed;
}

/** The minutes of work of somebody who chooses a service now. */
export function workOf({ services }: Business, serviceId: string | null): number | null {
  return services.find(({ id }) => id === serviceId)?.baseTimeMinutes ?? null;
}

/** The people of a business in an order that a repeated case has again. */
export function peopleOf({ people }: Business): Person[] {
  const rank = ({ date, tokenSeries, tokenNumber }: Person) =>
    `${date} ${tokenSeries} ${1e6 + tokenNumber}`;
  return [...people.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
