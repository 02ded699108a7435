import type { AppointmentStatus, Entry, EntryStatus, Scope } from "@queue-api/contract";
import fc from "fast-check";
import type { Visitor } from "../dashboard/support/visitor.js";
import type { Answer } from "../support/answer.js";
import { type RequestOptions, request, type Target } from "../support/client.js";
import { type BusinessSeed, everyScope, type KeySeed } from "../support/seed.js";
import type { Place } from "./place.js";

/*
 * The world: three businesses in different time zones, and what the model knows of them. Each case gets new ones.
 */

const statuses = ["WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"] as const;
const words = ["Ana", "Bruno Ñ", "李雷"] as const;

const person = fc.record({
  queue: fc.constantFrom("front", "front", "second", "paused", "closed"),
  service: fc.constantFrom(null, "short", "long", "free", "retired"),
  status: fc.constantFrom("WAITING", "WAITING", ...statuses),
  priority: fc.boolean(),
  date: fc.constantFrom("today", "today", "today", "today-1"),
  name: fc.constantFrom(null, ...words),
  minutesAgo: fc.integer({ min: 0, max: 20 }),
});

const booking = fc.record({
  date: fc.constantFrom("today", "today", "today+1"),
  slotTime: fc.constantFrom("09:00", "10:30", "23:59"),
  service: fc.constantFrom(null, "short", "retired"),
  status: fc.constantFrom("CONFIRMED", "CONFIRMED", "CHECKED_IN", "CANCELLED", "NO_SHOW"),
});

const business = fc.record({
  dailyTokenLimit: fc.option(fc.integer({ min: 0, max: 60 }), { freq: 2 }),
  requests: fc.integer({ min: 1, max: 25 }),
  writes: fc.integer({ min: 1, max: 8 }),
  expiresInMs: fc.integer({ min: 0, max: 2_000 }),
  people: fc.array(person, { maxLength: 12 }),
  appointments: fc.array(booking, { maxLength: 6 }),
});

export const plan = fc.tuple(business, business, business);
type Plan = Exclude<typeof plan extends fc.Arbitrary<infer Value> ? Value : never, never>;

/** The scopes of the keys that a request can carry. `small` has small limits, the others wide ones. */
const scopesOf = {
  main: everyScope,
  reader: ["queue:read"],
  writer: ["queue:write"],
  planner: ["appointments:read"],
  small: everyScope,
  leaving: everyScope,
  expiring: everyScope,
  elsewhere: everyScope,
  revoked: everyScope,
  expired: everyScope,
  clerk: everyScope,
} as const satisfies Record<string, readonly Scope[]>;
export type KeyName = keyof typeof scopesOf;

export interface Key {
  readonly text: string;
  readonly scopes: readonly Scope[];
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
  /** Null: not within the time of a case. */
  readonly expiresAt: number | null;
  isRevoked: boolean;
}

export interface Service {
  readonly id: string;
  readonly name: string;
  readonly price: number | null;
  readonly baseTimeMinutes: number | null;
  active: boolean;
  exists: boolean;
}

export interface Queue {
  readonly id: string;
  readonly name: string;
  readonly series: string;
  isActive: boolean;
  isTokenCreationPaused: boolean;
  exists: boolean;
}

/** A person in a line: the entry as the API shows it, and what decides about its place. */
export interface Person extends Omit<Entry, "predictedWaitMinutes"> {
  readonly queueId: string;
  readonly date: string;
  /** The minutes of work, as they were when the service was chosen. */
  readonly work: number | null;
  /** Places that the person left by a move to another queue. */
  readonly left: readonly { readonly queueId: string; readonly number: number }[];
  /** What an undo of the move to this queue brings back; null once anything else changed. */
  readonly before: Person | null;
}

export interface Appointment {
  readonly id: string;
  readonly date: string;
  readonly slotTime: string;
  readonly durationMinutes: number;
  status: AppointmentStatus;
  readonly serviceId: string | null;
  readonly customer: { readonly name: string | null; readonly phone: string | null };
  personId: string | null;
}

/** A creation that succeeded with a key. */
export interface Receipt {
  readonly print: string;
  readonly text: string;
  readonly location: string | null;
}

export interface Business {
  readonly slug: string;
  readonly name: string;
  readonly timezone: string | null;
  readonly today: string;
  readonly yesterday: string;
  readonly dailyTokenLimit: number | null;
  apiAccess: boolean;
  readonly keys: Readonly<Record<KeyName, Key>>;
  readonly services: Readonly<Record<string, Service>>;
  readonly queues: Readonly<Record<string, Queue>>;
  people: Map<string, Person>;
  appointments: Appointment[];
  /** The tokens that the business created today, in all queues, and those of the seed among them. */
  createdToday: number;
  readonly seededToday: number;
  readonly receipts: Map<string, Receipt>;
  /** Ids of queues and services that anybody tried to use, so that they may stay when they are removed. */
  readonly tried: Set<string>;
  readonly owner: readonly Visitor[];
}

/** A request of the API that was answered. */
export interface Exchange {
  readonly business: Business;
  readonly key: KeyName | null;
  readonly method: string;
  readonly path: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
}

export interface World {
  readonly place: Place;
  readonly businesses: readonly Business[];
  readonly startedAt: number;
  readonly exchanges: Exchange[];
}

/** Sends a request of the API and notes it. Every request of the model goes through here. */
export async function send(
  world: World,
  target: Target | undefined,
  {
    business,
    key,
    address = "10.254.0.1",
  }: { business: Business; key: KeyName | null; address?: string },
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Exchange> {
  const sentAt = Date.now();
  const authorization = key && { Authorization: `Bearer ${business.keys[key].text}` };
  const headers = { "X-Forwarded-For": address, ...authorization, ...options.headers };
  if (!target) throw new Error("there is no such process");
  const answer = await request(target, method, path, { ...options, headers });
  const exchange = { business, key, method, path, sentAt, answeredAt: Date.now(), answer };
  world.exchanges.push(exchange);
  return exchange;
}

/** The time zones in which no day ends soon, so that `today` stays the same day for a case. */
function quietZones(now: number): (string | null)[] {
  const zones = [
    null,
    "Asia/Kolkata",
    "America/Los_Angeles",
    "Pacific/Auckland",
    "Europe/Madrid",
    "America/Sao_Paulo",
  ];
  const hour = (zone: string | null) =>
    Number(
      new Intl.DateTimeFormat("en", {
        hour: "numeric",
        hourCycle: "h23",
        timeZone: zone ?? "UTC",
      }).format(now),
    );
  return zones.filter((zone) => hour(zone) >= 1 && hour(zone) <= 22).slice(0, 3);
}

function dayIn(zone: string | null, instant: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: zone ?? "UTC" }).format(instant);
}

let cases = 0;

/** Creates the businesses of a case, with the owner of each signed in. */
export async function createWorld(place: Place, plans: Plan): Promise<World> {
  const now = Date.now();
  const zones = quietZones(now);
  const number = ++cases;
  const seeds = plans.map((one, index) =>
    seedOf(one, `b${index}-${now}-${number}`, zones[index] ?? null, now),
  );
  const seeded = await place.seed(seeds);
  const businesses = await Promise.all(
    seeds.map(async (seed): Promise<Business> => {
      const { slug, name, timezone = null, dailyTokenLimit = null } = seed;
      const ids = seeded[slug];
      if (!ids) throw new Error(`the seed printed no business ${slug}`);
      const named = <Item extends { ref?: string | undefined }, Made>(
        items: readonly Item[],
        make: (item: Item & { ref: string }) => Made,
      ) =>
        Object.fromEntries(
          items.map((item) => [item.ref ?? "", make({ ...item, ref: item.ref ?? "" })]),
        );
      const services = named(
        seed.services,
        ({ ref, name, price = null, baseTimeMinutes = null, active = true }) => ({
          ...{ id: ids.services[ref] ?? "", name, price, baseTimeMinutes, active, exists: true },
        }),
      );
      const queues = named(
        seed.queues,
        ({ ref, name, tokenSeries = "A", isActive = true, isTokenCreationPaused = false }) => ({
          ...{
            id: ids.queues[ref] ?? "",
            name,
            series: tokenSeries,
            isActive,
            isTokenCreationPaused,
            exists: true,
          },
        }),
      );
      const keys = named(
        seed.keys,
        ({
          ref,
          scopes = [],
          requestsPerMinute = 120,
          writesPerMinute = 30,
          expiresAt,
          revoked = false,
        }) => ({
          ...{ text: ids.keys[ref] ?? "", scopes, requestsPerMinute, writesPerMinute },
          ...{ expiresAt: expiresAt ? Date.parse(expiresAt) : null, isRevoked: revoked },
        }),
      ) as Record<KeyName, Key>;
      const today = dayIn(timezone, now);
      const dayOf = (date = "today") =>
        dayIn(timezone, now + 86_400_000 * Number(date.slice("today".length)));
      const people = new Map<string, Person>();
      for (const { ref: queueRef, entries = [] } of seed.queues) {
        const last = new Map<string, number>();
        for (const {
          ref = "",
          name = null,
          service,
          status = "WAITING",
          priority = false,
          date,
        } of entries) {
          const queue = queues[queueRef ?? ""];
          const id = ids.entries[ref] ?? "";
          const day = dayOf(date);
          const tokenNumber = (last.get(day) ?? 0) + 1;
          last.set(day, tokenNumber);
          if (!queue) throw new Error("an entry of the seed has no queue");
          const { id: queueId, series: tokenSeries } = queue;
          const chosen = services[service ?? ""];
          people.set(id, {
            ...{
              id,
              queueId,
              date: day,
              token: `${tokenSeries}${tokenNumber}`,
              tokenSeries,
              tokenNumber,
            },
            ...{
              status,
              priority,
              serviceId: chosen?.id ?? null,
              work: chosen?.baseTimeMinutes ?? null,
            },
            ...{ customer: { name, phone: null }, left: [], before: null },
            // The import invents these times; the first reading learns them.
            ...{ issuedAt: "", startedAt: "", completedAt: "", canceledAt: "" },
          });
        }
      }
      const appointments = seed.appointments.map(
        ({ ref = "", date, slotTime = "10:30", status = "CONFIRMED", service }): Appointment => ({
          ...{
            id: ids.appointments[ref] ?? "",
            date: dayOf(date),
            slotTime,
            durationMinutes: 15,
            status,
          },
          ...{
            serviceId: services[service ?? ""]?.id ?? null,
            customer: { name: `Booked ${ref}`, phone: null },
            personId: null,
          },
        }),
      );
      const seededToday = [...people.values()].filter(({ date }) => date === today).length;
      return {
        ...{
          slug,
          name,
          timezone,
          today,
          yesterday: dayOf("today-1"),
          dailyTokenLimit,
          apiAccess: true,
        },
        ...{ keys, services, queues, people, appointments, receipts: new Map(), tried: new Set() },
        ...{ createdToday: seededToday, seededToday },
        owner: await place.signIn(slug),
      };
    }),
  );
  return { place, businesses, startedAt: now, exchanges: [] };
}

const wide = { requestsPerMinute: 1_000_000, writesPerMinute: 900_000 };

function seedOf(
  { dailyTokenLimit, requests, writes, expiresInMs, people, appointments }: Plan[number],
  slug: string,
  timezone: string | null,
  now: number,
) {
  const special: Readonly<Record<string, Partial<KeySeed>>> = {
    small: { requestsPerMinute: requests, writesPerMinute: writes },
    expiring: { expiresAt: new Date(now + 500 + expiresInMs).toISOString() },
    expired: { expiresAt: new Date(now - 1_000).toISOString() },
    revoked: { revoked: true },
    elsewhere: { allowIps: ["192.0.2.0/24"] },
  };
  const queue = (
    ref: string,
    tokenSeries: string,
    flags: { isActive?: boolean; isTokenCreationPaused?: boolean } = {},
  ) => ({
    ...{ ref, name: `Queue ${ref}`, tokenSeries, ...flags },
    entries: people.flatMap(({ queue, ...entry }, at) =>
      queue === ref ? [{ ref: `p${at}`, ...entry }] : [],
    ),
  });
  const service = (ref: string, baseTimeMinutes: number | null, active = true) => ({
    ...{ ref, name: `Service ${ref}`, price: baseTimeMinutes, baseTimeMinutes, active },
  });
  return {
    ...{ slug, name: `Business ${slug}`, category: null, timezone, dailyTokenLimit },
    services: [
      service("short", 7),
      service("long", 25),
      service("free", 0),
      service("vague", null),
      service("retired", 10, false),
      service("new", 3),
    ],
    queues: [
      ...[queue("front", "A"), queue("second", "B"), queue("spare", "S")],
      ...[
        queue("paused", "P", { isTokenCreationPaused: true }),
        queue("closed", "C", { isActive: false }),
      ],
    ],
    appointments: appointments.map((one, at) => ({
      ref: `a${at}`,
      ...one,
      customer: { name: `Booked a${at}` },
    })),
    keys: Object.entries(scopesOf).map(([ref, scopes]) => ({
      ref,
      name: `Key ${ref}`,
      scopes,
      ...wide,
      ...special[ref],
    })),
  } satisfies BusinessSeed;
}

/** The status of an appointment. It follows the person once they have a token. */
export function appointmentStatus(
  person: { readonly status: EntryStatus } | null | undefined,
  status: AppointmentStatus,
): AppointmentStatus {
  if (!person) return status;
  return (
    {
      WAITING: "CHECKED_IN",
      CANCELED: "CANCELLED",
      IN_SERVICE: "IN_SERVICE",
      COMPLETED: "COMPLETED",
      NO_SHOW: "NO_SHOW",
    } as const
  )[person.status];
}
