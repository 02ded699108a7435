import { randomBytes } from "node:crypto";
import { type OwnerError, setBusiness } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { messageWithHint } from "../../server/src/cli/command-errors.js";
import { type SimulationEvent, simulate } from "../../server/src/simulation/simulation.ts";
import { StoreUnavailableError } from "../../server/src/store/errors.ts";
import { interposed } from "../support/interposed.js";
import type { BusinessSeed } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const { store } = service;

function clinicWith(changes: BusinessSeed = {}) {
  return service.clinic({
    sandbox: true,
    queues: [
      {
        ref: "front",
        name: "Doctor",
        entries: [
          { name: "Customer 1", status: "IN_SERVICE", service: "consult", minutesAgo: 20 },
          { name: "Customer 2", service: "consult", minutesAgo: 10 },
        ],
      },
      { ref: "desk", name: "Front desk", tokenSeries: "F" },
    ],
    appointments: ["09:30", "10:00", "11:00"].map((slotTime) => ({ slotTime })),
    ...changes,
  });
}

/** Simulates a number of minutes without waiting for them. `slept` is how long the simulation wanted to wait. */
async function play(business: string, { minutes = 150, seed = 1, speed = 60, fails = 0 } = {}) {
  const events: SimulationEvent[] = [];
  const outages: string[] = [];
  const ending = new AbortController();
  let slept = 0;
  let failures = fails;
  const reached = interposed(store, {
    businesses: {
      async find(...asked) {
        if (failures-- > 0) throw new StoreUnavailableError("away");
        return store.businesses.find(...asked);
      },
    },
  });
  const played = await simulate({
    store: reached,
    business,
    seed,
    speed,
    random: randomBytes,
    signal: ending.signal,
    elapsed: () => slept,
    sleep: async (ms) => {
      slept += ms;
      if (slept >= (minutes * 60_000) / speed) ending.abort();
    },
    onEvent: (event) => events.push(event),
    onOutage: (line) => outages.push(line),
  });
  const count = (name: string) => events.filter(({ event }) => event === name).length;
  return { events, outages, count, slept, played };
}

/** The events without the ids, which differ each time. */
const story = (events: readonly SimulationEvent[]) =>
  events.map((event) => ({ ...event, entryId: null, appointmentId: null }));

describe("a simulation", () => {
  test("does what it reports: the API shows the same number of people in each state", async () => {
    const clinic = await clinicWith();
    const { count, events } = await play(clinic.slug);
    const sum = { waiting: 0, inService: 0, completed: 0, canceled: 0, noShow: 0 };
    for (const ref of ["front", "desk"]) {
      const { counts } = (await clinic.client().queue(clinic.queue(ref))).data;
      for (const state of Object.keys(sum) as (keyof typeof sum)[]) sum[state] += counts[state];
    }
    expect(sum).toEqual({
      waiting: 1 + count("arrived") - count("called") - count("gave-up") - count("no-show"),
      inService: 1 + count("called") - count("completed"),
      completed: count("completed"),
      canceled: count("gave-up"),
      noShow: count("no-show"),
    });
    expect(count("arrived")).toBeGreaterThan(15);
    expect(count("completed")).toBeGreaterThan(10);
    for (const { time } of events) expect(time).toMatch(/^(09|10|11):[0-5]\d$/);
  });

  test("has the same events for the same seed in an equal business", async () => {
    const played = async (seed: number) =>
      story((await play((await clinicWith()).slug, { minutes: 60, seed })).events);
    const first = await played(42);
    expect(first.length).toBeGreaterThan(15);
    expect(await played(42)).toEqual(first);
    expect(await played(43)).not.toEqual(first);
  });

  test("adds nobody to a queue that takes no tokens, and says why a plan turns people away", async () => {
    const closed = await clinicWith({
      queues: [{ ref: "front", name: "Doctor", isTokenCreationPaused: true }],
    });
    expect((await play(closed.slug, { minutes: 60 })).count("arrived")).toBe(0);
    const small = await clinicWith({ dailyTokenLimit: 5 });
    const { events, count } = await play(small.slug, { minutes: 120 });
    expect(count("arrived")).toBe(3);
    expect(events).toContainEqual(
      expect.objectContaining({ event: "turned-away", reason: "plan_limit_reached" }),
    );
  });

  test("leaves the people of other businesses alone", async () => {
    const other = await clinicWith({ sandbox: false });
    const { slug } = await clinicWith();
    await play(slug, { minutes: 30 });
    const { counts } = (await other.client().queue(other.queue("front"))).data;
    expect(counts).toMatchObject({ waiting: 1, inService: 1, completed: 0 });
    const refused = await play(other.slug).catch((error: OwnerError) => messageWithHint(error));
    expect(refused).toMatch(/is not a sandbox.*business set \S+ --sandbox on$/);
  });

  test("takes the time that its speed determines", async () => {
    const { slug } = await clinicWith();
    const { slept, played } = await play(slug, { minutes: 30, speed: 10 });
    expect(slept).toBeCloseTo(180_000, -4);
    expect(played).toBeGreaterThanOrEqual(29);
  });

  test("serves those who came before the clock was set back, and no time is before an earlier one", async () => {
    const clinic = await clinicWith();
    const today = service.clock.read();
    await play(clinic.slug, { minutes: 30 });
    service.clock.advance({ minutes: -45 });
    const { count } = await play(clinic.slug, { minutes: 90, seed: 2 });
    service.clock.set(today);
    expect(count("completed")).toBeGreaterThan(5);
    const { data } = await clinic.client().entries(clinic.queue("front"));
    for (const { issuedAt, startedAt, completedAt } of data) {
      const times = [issuedAt, startedAt, completedAt].filter((time) => time !== null);
      expect(times).toEqual(times.toSorted());
    }
  });

  test("ends when the business is no sandbox any more", async () => {
    const { slug } = await clinicWith();
    const ending = play(slug, { minutes: Number.POSITIVE_INFINITY });
    await setBusiness(store, slug, { sandbox: false });
    await expect(ending).rejects.toThrow("is not a sandbox");
  });

  test("waits for a database that cannot be reached, and says so once", async () => {
    const { slug } = await clinicWith();
    const { outages, count } = await play(slug, { minutes: 60, fails: 3 });
    expect(outages).toEqual(["the database cannot be reached; retrying"]);
    expect(count("arrived")).toBeGreaterThan(3);
  });
});
