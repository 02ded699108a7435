import { randomBytes } from "node:crypto";
import { createKey, listKeys } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { messageWithHint } from "../../server/src/cli/error-hints.js";
import type { OwnerError } from "../../server/src/owner/owner-error.js";
import type { SimulationError } from "../../server/src/simulation/failures.ts";
import type { SimulationEvent } from "../../server/src/simulation/report.ts";
import { VirtualClock } from "../sdk/support/virtual-clock.js";
import type { Clinic } from "../support/clinic.js";
import type { BusinessSeed } from "../support/seed.js";
import { testService } from "../support/service.js";
import { Stage } from "./stage.js";

const service = await testService();
const { store, clock: serviceClock } = inside();

function inside() {
  const { store, clock } = service;
  if (!store || !clock) throw new Error("these tests move the clock of a service of their own");
  return { store, clock };
}

/** A clinic with a doctor and a desk, and a clock that a test controls. */
async function scene(changes: BusinessSeed = {}) {
  const clinic = await service.clinic({
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
    appointments: ["09:30", "10:00", "11:00"].map((slotTime) => ({ slotTime, service: "consult" })),
    ...changes,
  });
  const onTime = (now: number) => serviceClock.set(Math.floor(now));
  const clock = new VirtualClock({ start: service.now(), onTime });
  const stage = () => new Stage({ store, url: () => service.url, clock });
  return { clinic, clock, stage: stage(), another: stage };
}

/** An event without the ids, which differ each time. */
function story(events: readonly SimulationEvent[]) {
  return events.map((event) => {
    return { ...event, entryId: null, appointmentId: null };
  });
}

describe("a simulation", () => {
  test("performs each event that it reports: the API shows the same number of people in each state", async () => {
    const { clinic, stage } = await scene();
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(150);
    const summary = await stage.end();

    const caller = clinic.client();
    const sum = { waiting: 0, inService: 0, completed: 0, canceled: 0, noShow: 0 };
    for (const ref of ["front", "desk"]) {
      const { counts } = (await caller.queue(clinic.queue(ref))).data;
      for (const state of Object.keys(sum) as (keyof typeof sum)[]) sum[state] += counts[state];
    }
    expect(summary).toMatchObject({
      arrived: stage.of("arrived").length,
      called: stage.of("called").length,
      turnedAway: 0,
    });
    expect(sum).toEqual({
      waiting: 1 + summary.arrived - summary.called - summary.gaveUp - summary.noShows,
      inService: 1 + summary.called - summary.completed,
      completed: summary.completed,
      canceled: summary.gaveUp,
      noShow: summary.noShows,
    });
    expect(summary.arrived).toBeGreaterThan(15);
    expect(summary.completed).toBeGreaterThan(10);
  });

  test("plays the same story for the same seed in an equal business", async () => {
    const play = async (seed: number) => {
      const { clinic, stage } = await scene();
      stage.begin({ business: clinic.slug, seed });
      await stage.untilMinutes(120);
      await stage.end();
      return story(stage.events);
    };
    const first = await play(42);
    expect(await play(42)).toEqual(first);
    expect(await play(43)).not.toEqual(first);
  });

  test("takes the time that its speed determines", async () => {
    const { clinic, stage, clock } = await scene();
    const start = clock.now();
    stage.begin({ business: clinic.slug, speed: 10 });
    await stage.untilMinutes(60);
    const minutes = (clock.now() - start) / 60_000;
    expect(minutes).toBeGreaterThan(5.9);
    expect(minutes).toBeLessThan(7);
    expect(await stage.end()).toMatchObject({ heldUpSeconds: 0 });
  });

  test("stays within the limits of its key at any speed, and delays the story instead", async () => {
    const { clinic, stage, clock } = await scene();
    const start = clock.now();
    stage.begin({ business: clinic.slug, speed: 3_600 });
    await stage.untilMinutes(700);
    const { heldUpSeconds } = await stage.end();

    const writes = stage.responses.filter(({ method }) => method === "POST");
    expect(writes.length).toBeGreaterThan(60);
    expect(stage.responses.filter(({ status }) => status === 429)).toEqual([]);
    expect(heldUpSeconds).toBeGreaterThan(60);
    expect((clock.now() - start) / 1000).toBeGreaterThan(heldUpSeconds);
  });

  test("serves entries that others created, in their position in the line", async () => {
    const { clinic, stage } = await scene();
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(15);
    const { id, token } = (await clinic.client().create(clinic.queue("desk"))).data;
    await stage.until(() =>
      stage.events.some((event) => event.event === "completed" && event.entryId === id),
    );
    const called = stage.of("called").filter(({ queue }) => queue === "Front desk");
    const numbers = called.map((event) => Number(event.token.slice(1)));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(called.find((event) => event.token === token)).toMatchObject({ name: null });
    await stage.end();
  });

  test("keeps, misses and cancels the appointments of the day", async () => {
    const { clinic, stage } = await scene();
    stage.begin({ business: clinic.slug, seed: 4 });
    await stage.untilMinutes(240);
    const { appointments } = await stage.end();
    const states = (await clinic.client().appointments()).data.map(({ status }) => status);
    expect(states).not.toContain("CONFIRMED");
    expect(appointments.kept + appointments.missed + appointments.cancelled).toBe(3);
    expect(states.filter((state) => state === "COMPLETED")).toHaveLength(appointments.kept);
  });

  test("does not change an appointment that its owner has changed", async () => {
    const { clinic, stage } = await scene({
      appointments: [{ ref: "late", slotTime: "12:00", service: "consult" }],
    });
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(5);
    await service.owner.setAppointment(clinic.appointment("late"), "CANCELLED");
    await stage.untilMinutes(260);
    await stage.end();
    expect(stage.of("appointment")).toEqual([]);
  });

  test("continues with entries of the day before", async () => {
    const { clinic, stage, clock } = await scene();
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(40);
    const before = stage.of("arrived").map(({ entryId }) => entryId);
    const over = () =>
      new Set(
        stage.events.flatMap((event) =>
          event.event === "completed" || event.event === "gave-up" || event.event === "no-show"
            ? [event.entryId]
            : [],
        ),
      );
    expect(before.every((id) => over().has(id))).toBe(false);
    clock.skip(16 * 3_600_000); // past midnight
    await stage.until(() => before.every((id) => over().has(id)));
    expect(stage.of("arrived").at(-1)?.token).toMatch(/^[AF]\d$/); // the token numbers of a new day
    await stage.end();
  });
});

describe("arrivals", () => {
  test("stop for a paused queue after the first refusal, while waiting entries are served, and resume", async () => {
    const { clinic, stage } = await scene();
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(20);
    await service.owner.setQueue(clinic.queue("desk"), "pause");
    const arrivals = () => stage.of("arrived").filter(({ queue }) => queue === "Front desk").length;
    const arrived = arrivals();
    await stage.untilMinutes(120);
    expect(arrivals()).toBe(arrived);
    expect(stage.of("turned-away").length).toBeLessThanOrEqual(1);
    for (const { reason } of stage.of("turned-away")) expect(reason).toBe("queue_paused");

    await service.owner.setQueue(clinic.queue("desk"), "resume");
    await stage.until(() => arrivals() > arrived);
    await stage.end();
  });

  test("stop while API access is off, and waiting entries are served", async () => {
    const { clinic, stage } = await scene();
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(30);
    await service.owner.setAccess(clinic.slug, false);
    const arrived = stage.of("arrived").length;
    const served = stage.of("completed").length;
    await stage.until(() => stage.of("completed").length > served + 2);
    expect(stage.of("arrived")).toHaveLength(arrived);
    await service.owner.setAccess(clinic.slug, true);
    await stage.until(() => stage.of("arrived").length > arrived);
    await stage.end();
  });

  test("stop at the plan limit", async () => {
    const { clinic, stage } = await scene({ dailyTokenLimit: 12 });
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(200);
    await stage.end();
    expect(stage.of("arrived")).toHaveLength(10);
    expect(stage.of("turned-away").at(-1)?.reason).toBe("plan_limit_reached");
  });

  test("stop below the plan limit where a share of it is reserved for others", async () => {
    const { clinic, stage, clock } = await scene({ dailyTokenLimit: 40 });
    const end = clock.now() + 400_000;
    stage.begin({ business: clinic.slug, planShareLeft: 0.5 });
    await stage.until(() => clock.now() > end);
    await stage.end();
    expect(stage.of("arrived").length).toBeLessThan(30);
    expect(stage.of("turned-away")).toEqual([]);
  });
});

describe("the key of a simulation", () => {
  const simulationKeys = async (slug: string) =>
    (await listKeys(store, slug)).filter(({ purpose }) => purpose === "simulation");

  const addKey = (slug: string, name: string, purpose?: "simulation") => {
    const context = { now: service.now(), random: randomBytes, ...(purpose && { purpose }) };
    return createKey(store, slug, { name, scopes: ["queue:read"] }, context);
  };

  test("is created for it, lasts a day, and is revoked at its end", async () => {
    const { clinic, stage } = await scene();
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(2);
    const [key] = await simulationKeys(clinic.slug);
    expect(key).toMatchObject({ revokedAt: null, requestsPerMinute: 120, writesPerMinute: 30 });
    expect((key?.expiresAt ?? 0) - (key?.createdAt ?? 0)).toBe(86_400_000);
    await stage.end();
    expect((await simulationKeys(clinic.slug)).filter((one) => one.revokedAt === null)).toEqual([]);
  });

  test("replaces the key of an earlier simulation that did not revoke it", async () => {
    const { clinic, stage, clock } = await scene();
    await addKey(clinic.slug, "Anything", "simulation");
    clock.skip(1000);
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(2);
    const revoked = (await simulationKeys(clinic.slug)).map(({ revokedAt }) => revokedAt !== null);
    expect(revoked).toEqual([true, false]);
    await stage.end();
  });

  test("is identified by its purpose: a key that an owner named Simulation does not change", async () => {
    const { clinic, stage, clock } = await scene();
    const { record } = await addKey(clinic.slug, "Simulation");
    clock.skip(1000);
    stage.begin({ business: clinic.slug });
    await stage.untilMinutes(2);
    await stage.end();
    const stored = (await listKeys(store, clinic.slug)).find(({ id }) => id === record.id);
    expect(stored).toMatchObject({ name: "Simulation", purpose: "owner", revokedAt: null });
  });

  test("is renewed before it expires, and afterwards on a machine that slept", async () => {
    const { clinic, stage, clock } = await scene();
    stage.begin({ business: clinic.slug });
    for (const hours of [13, 30]) {
      await stage.untilMinutes(10);
      clock.skip(hours * 3_600_000);
      const arrived = stage.of("arrived").length;
      await stage.until(() => stage.of("arrived").length > arrived + 5);
    }
    const keys = await simulationKeys(clinic.slug);
    expect(keys).toHaveLength(3);
    await stage.end();
  });

  test("is refused in a business that has ten keys", async () => {
    const { clinic, stage } = await scene();
    for (let number = 2; number <= 10; number++) {
      const options = { name: `Kiosk ${number}`, scopes: ["queue:read" as const] };
      await createKey(store, clinic.slug, options, { now: service.now(), random: randomBytes });
    }
    const failure = await stage.failure(stage.begin({ business: clinic.slug }));
    expect(messageWithHint(failure as OwnerError)).toMatch(
      /has 10 active keys.*queue-api key revoke/,
    );
  });

  test("ends the simulation when a person revokes it", async () => {
    const { clinic, stage } = await scene();
    const playing = stage.begin({ business: clinic.slug });
    await stage.untilMinutes(5);
    for (const { id } of await simulationKeys(clinic.slug)) await service.owner.revokeKey(id);
    expect(String(await stage.failure(playing))).toMatch(/the key of the simulation was revoked/);
  });

  test("is taken over by a later simulation of the same business, and the earlier one ends", async () => {
    const { clinic, stage, another, clock } = await scene();
    const earlier = stage.begin({ business: clinic.slug });
    await stage.untilMinutes(5);
    const later = another();
    later.begin({ business: clinic.slug });
    const failed = earlier.catch((error: unknown) => error);
    await clock.until(failed, () => stage.isBusy || later.isBusy);
    expect(await failed).toMatchObject({ name: "ReplacedError" });
    const arrived = later.of("arrived").length;
    await later.until(() => later.of("arrived").length > arrived);
    await later.end();
  });
});

describe("a business that is no longer a sandbox", () => {
  test("is not changed after the next check", async () => {
    const { clinic, stage } = await scene();
    const playing = stage.begin({ business: clinic.slug });
    await stage.untilMinutes(20);
    const at = stage.events.length;
    await store.businesses.change((await store.businesses.bySlug(clinic.slug))?.id ?? "", {
      sandbox: false,
    });
    expect(String(await stage.failure(playing))).toMatch(/not a sandbox/);
    expect(stage.events.slice(at).every(({ time }) => time <= "09:30")).toBe(true);
    const left = (await listKeys(store, clinic.slug)).filter(({ revokedAt }) => revokedAt === null);
    expect(left.map(({ name }) => name)).toEqual(["Main"]);
  });
});

describe("a simulation that cannot start", () => {
  const queueCounts = async (clinic: Clinic) =>
    (await clinic.client().queue(clinic.queue("front"))).data.counts;

  const failing = async (changes: BusinessSeed, business?: string) => {
    const { clinic, stage } = await scene(changes);
    const error = await stage.failure(stage.begin({ business: business ?? clinic.slug }));
    return messageWithHint(error as OwnerError | SimulationError);
  };

  test("reports an unknown business", async () => {
    expect(await failing({}, "nobody")).toMatch(/no business has this slug/);
  });

  test("reports that the business is not a sandbox, and changes nothing", async () => {
    const { clinic, stage } = await scene({ sandbox: false });
    const before = await queueCounts(clinic);
    const failure = await stage.failure(stage.begin({ business: clinic.slug }));
    expect(messageWithHint(failure as SimulationError)).toMatch(
      /not a sandbox.*business set clinic-\S+ --sandbox on$/,
    );
    expect(await queueCounts(clinic)).toEqual(before);
    expect((await listKeys(store, clinic.slug)).map(({ name }) => name)).toEqual(["Main"]);
  });

  test("reports that no queue accepts tokens", async () => {
    const queues = [{ name: "Paused", isTokenCreationPaused: true }];
    expect(await failing({ queues })).toMatch(/no queue of the business takes tokens/);
  });

  test("reports that API access is off", async () => {
    expect(await failing({ apiAccess: false })).toMatch(/business set clinic-\S+ --access on/);
  });
});
