import { randomBytes } from "node:crypto";
import {
  InvalidSeedError,
  importSeed,
  openStore,
  type SeedInput,
  type Store,
} from "@queue-api/server";
import { beforeEach, describe, expect, it } from "vitest";

/** 12:00 in UTC, 17:30 in Kolkata, and the day before in Honolulu at 02:00. */
const now = Date.parse("2026-11-21T12:00:00Z");
const minute = 60_000;
const day = 86_400_000;

type Business = SeedInput["businesses"][number];
type Key = NonNullable<Business["keys"]>[number];
type Entry = NonNullable<NonNullable<Business["queues"]>[number]["entries"]>[number];

let store: Store;

beforeEach(async () => {
  store = await openStore("memory:", { clock: () => now, random: randomBytes });
});

function seed(json: unknown, replace = false, at = now) {
  return importSeed(store, json, { now: at, random: randomBytes, replace });
}

async function seedBusiness(business: Partial<Business>, at = now) {
  const json = { businesses: [{ slug: "sunrise", name: "Sunrise", ...business }] };
  const { businesses } = await seed(json, false, at);
  const seeded = businesses.sunrise;
  if (!seeded) throw new Error("The seed printed no business.");
  return seeded;
}

async function seedEntry(entry: Entry, business: Partial<Business> = {}, at = now) {
  const queued: Partial<Business> = {
    timezone: "Asia/Kolkata",
    services: [{ ref: "consult", name: "Consultation", baseTimeMinutes: 15 }],
    queues: [{ name: "Front desk", entries: [{ ref: "one", ...entry }] }],
    ...business,
  };
  const seeded = await seedBusiness(queued, at);
  const stored = await store.entries.get(seeded.id, seeded.entries.one ?? "");
  if (!stored) throw new Error("the entry was not written");
  return stored.entry;
}

describe("a seed file", () => {
  it("needs only slugs and names", async () => {
    const seeded = await seedBusiness({
      services: [{ ref: "s", name: "Consultation" }],
      queues: [{ ref: "q", name: "Front desk", entries: [{ ref: "e" }] }],
      appointments: [{ ref: "a" }],
      keys: [{ ref: "k", name: "Kiosk" }],
    });

    // docs/seed proves the default of each field.
    expect(await store.businesses.find("slug", "sunrise")).toEqual({
      id: seeded.id,
      slug: "sunrise",
      name: "Sunrise",
      category: null,
      timezone: null,
      apiAccess: true,
      dailyTokenLimit: null,
      sandbox: false,
      longWaitMinutes: null,
      displayHash: null,
      displayQuery: "",
    });
    const [service] = await store.services.list(seeded.id);
    expect(service?.id).toBe(seeded.services.s);
    const [queue] = await store.queues.list(seeded.id);
    expect(queue?.id).toBe(seeded.queues.q);
    const [key] = await store.keys.list(seeded.id);
    const expiresAt = now + 90 * day;
    expect(key).toMatchObject({ purpose: "owner", createdAt: now, revokedAt: null, expiresAt });
    const here = { date: "2026-11-21", serviceId: null };
    const entry = await store.entries.get(seeded.id, seeded.entries.e ?? "");
    expect(entry?.entry).toMatchObject({ ...here, tokenNumber: 1, issuedAt: now });
    const visit = await store.appointments.get(seeded.id, seeded.appointments.a ?? "");
    expect(visit?.appointment).toMatchObject(here);
  });

  it("numbers the entries of each queue and day in the order of the file", async () => {
    const seeded = await seedBusiness({
      queues: [
        {
          ref: "a",
          name: "Front desk",
          entries: [{ date: "today" }, { date: "today-1" }, { date: "2026-11-21" }, {}],
        },
        { ref: "b", name: "Laboratory", tokenSeries: "LAB", entries: [{}] },
      ],
    });
    const numbers = async (queueId = "", date = "") => {
      const page = await store.entries.page(seeded.id, queueId, date, {
        limit: 9,
        after: null,
      });
      if (typeof page === "string") throw new Error(page);
      return page.items.map(({ entry }) => `${entry.tokenSeries}${entry.tokenNumber}`);
    };
    expect(await numbers(seeded.queues.a, "2026-11-21")).toEqual(["A1", "A2", "A3"]);
    expect(await numbers(seeded.queues.a, "2026-11-20")).toEqual(["A1"]);
    expect(await numbers(seeded.queues.b, "2026-11-21")).toEqual(["LAB1"]);
  });

  it.each([
    ["today", "Asia/Kolkata", "2026-11-21"],
    ["today+1", "Asia/Kolkata", "2026-11-22"],
    ["today", "Pacific/Kiritimati", "2026-11-22"],
    ["today", null, "2026-11-21"],
    ["2024-02-29", "Asia/Kolkata", "2024-02-29"],
  ])("reads the day %s in %s as %s", async (date, timezone, expected) => {
    expect(await seedEntry({ date }, { timezone })).toMatchObject({ date: expected });
  });

  it.each<[options: Partial<Key>, seeded: object]>([
    [{ days: 1 }, { expiresAt: now + day }],
    [{ days: 365 }, { expiresAt: now + 365 * day }],
    [{ expiresAt: "2020-01-01T05:30:00+05:30" }, { expiresAt: Date.parse("2020-01-01") }],
    [{ expiresAt: "2026-11-21T12:00:01Z", days: 365 }, { expiresAt: now + 1000 }],
    [{ expiresAt: "2027-11-21T12:00:00Z" }, { expiresAt: now + 365 * day, createdAt: now }],
    [{ revoked: true }, { revokedAt: now }],
    [
      { allowIps: ["203.0.113.0/24", "2001:db8::1"] },
      { allowIps: ["203.0.113.0/24", "2001:db8::1"] },
    ],
  ])("makes a key of %j", async (options, expected) => {
    const seeded = await seedBusiness({ keys: [{ name: "Kiosk", ...options }] });
    const [key] = await store.keys.list(seeded.id);
    expect(key).toMatchObject(expected);
    expect(key?.createdAt).toBeLessThan(key?.expiresAt ?? 0);
  });
});

describe("the times of a seeded entry", () => {
  it.each([
    ["today", 12, now - 12 * minute],
    ["today-1", 12, now - day - 12 * minute],
    ["today-1", 1450, now - 1450 * minute],
    ["2026-11-14", 0, now - 7 * day],
    ["today+1", 0, now],
  ])(
    "place an entry of %s, %i minutes ago, at the right instant",
    async (date, minutesAgo, issuedAt) => {
      expect(await seedEntry({ date, minutesAgo })).toMatchObject({ issuedAt });
    },
  );

  it.each([
    ["WAITING", [false, false, false]],
    ["IN_SERVICE", [true, false, false]],
    ["COMPLETED", [true, true, false]],
    ["CANCELED", [false, false, true]],
    ["NO_SHOW", [false, false, false]],
  ] as const)("match the status %s", async (status, present) => {
    const entry = await seedEntry({ status, minutesAgo: 30, service: "consult" });
    const times = [entry.startedAt, entry.completedAt, entry.canceledAt];
    expect(times.map((time) => time !== null)).toEqual(present);
  });

  it.each([0, 1, 14, 15, 16, 700])(
    "are in order for an entry of %i minutes ago, with a service that ends by now",
    async (minutesAgo) => {
      const entry = { status: "COMPLETED", minutesAgo, service: "consult" } as const;
      const { issuedAt, startedAt, completedAt } = await seedEntry(entry);
      const times = [issuedAt, startedAt ?? 0, completedAt ?? 0, now];
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect((completedAt ?? 0) - (startedAt ?? 0)).toBe(Math.min(15, minutesAgo) * minute);
    },
  );
});

describe("an error in a seed file", () => {
  // cli/transcripts/seed.txt has the message of each error, docs/seed the range of each number.
  const many = (count: number, item: object) => Array<object>(count).fill(item);
  const late = { name: "Kiosk", expiresAt: "2027-11-21T12:00:01Z" };
  const busy = { name: "Front desk", entries: many(10_001, {}) };

  it.each<[path: string, message: RegExp, business: Record<string, unknown>]>([
    ["queues", /must contain at most 100 queues/, { queues: many(101, { name: "A" }) }],
    ["services", /must contain at most 300 services/, { services: many(301, { name: "A" }) }],
    ["queues[0].entries", /at most 10000 entries of one day/, { queues: [busy] }],
    ["appointments[0].notes", /at most 2000/, { appointments: [{ notes: "n".repeat(2_001) }] }],
    ["appointments[0].notes", /well-formed/, { appointments: [{ notes: "\ud800" }] }],
    ["category", /well-formed/, { category: "clinic \udc00" }],
    ["timezone", /IANA/, { timezone: "ASIA/KOLKATA" }],
    ["keys[0].expiresAt", /365 days ahead/, { keys: [late] }],
    ["keys", /at most 10 active/, { keys: many(11, { name: "Key" }) }],
  ])("is reported at %s: %s", async (path, message, changes) => {
    const json = { businesses: [{ slug: "sunrise", name: "Sunrise", ...changes }] };
    const error = await seed(json).catch((error: unknown) => error);
    if (!(error instanceof InvalidSeedError)) throw error;
    const issue = { path: `businesses[0].${path}`, message: expect.stringMatching(message) };
    expect(error.issues).toEqual([issue]);
  });
});
