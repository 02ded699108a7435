import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkIn } from "../../server/src/owner/appointment.js";
import { adapters } from "./support/adapters.js";
import { appointment, back, clinic, consult, front, id, today } from "./support/records.js";
import { freshStore } from "./support/store.js";

describe.each(adapters)("a check-in in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  async function withVisits() {
    const { store, clock } = opened();
    for (const visit of [appointment("visit"), appointment("canceled", { status: "CANCELLED" })]) {
      await store.appointments.add(clinic.id, visit);
    }
    const come = (name: string, queueId = front.id) =>
      checkIn(store, clinic, id(name), queueId, { now: clock(), random: randomBytes });
    const waiting = async (queueId: string) =>
      (await store.queues.day(clinic.id, queueId, today))?.counts.WAITING;
    return { store, come, waiting };
  }

  it("issues one token for an appointment under concurrent check-ins to two queues", async () => {
    const { store, come, waiting } = await withVisits();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => come("visit", n % 2 === 0 ? front.id : back.id)),
    );
    const added = outcomes.filter(({ outcome }) => outcome === "issued");
    const others = outcomes.filter(({ outcome }) => outcome !== "issued");
    expect(added).toHaveLength(1);
    for (const { outcome } of others) expect(outcome).toBe("not_expected");
    expect([await waiting(front.id), await waiting(back.id)].sort()).toEqual([0, 1]);
    const kept = await store.appointments.get(clinic.id, id("visit"));
    expect(added).toMatchObject([{ receipt: { entry: { id: kept?.entry?.id } } }]);
  });

  it("issues no second token, even when the appointment is changed afterwards", async () => {
    const { store, come, waiting } = await withVisits();
    await come("visit");
    expect(await come("visit")).toEqual({ outcome: "not_expected", status: "CHECKED_IN" });
    await store.appointments.change(clinic.id, id("visit"), { status: "CONFIRMED" });
    expect(await come("visit")).toEqual({ outcome: "not_expected", status: "CHECKED_IN" });
    expect(await waiting(front.id)).toBe(1);
  });

  it("issues the token later when the queue was paused", async () => {
    const { store, come } = await withVisits();
    await store.queues.change(clinic.id, front.id, { isTokenCreationPaused: true });
    expect(await come("visit")).toEqual({ outcome: "queue_paused" });
    await store.queues.change(clinic.id, front.id, { isTokenCreationPaused: false });
    expect(await come("visit")).toMatchObject({ outcome: "issued" });
  });

  it("accepts an appointment whose service is no longer active", async () => {
    const { store, come } = await withVisits();
    await store.appointments.add(clinic.id, appointment("gone"));
    await store.services.change(clinic.id, consult.id, { active: false });
    const given = await come("gone");
    if (given.outcome !== "issued") throw new Error(given.outcome);
    const { id: entryId } = given.receipt.entry;
    expect((await store.entries.get(clinic.id, entryId))?.entry.serviceId).toBeNull();
  });

  it.each([
    ["canceled", { outcome: "not_expected", status: "CANCELLED" }],
    ["nobody", { outcome: "not_found" }],
  ])("issues no token for an appointment that is not expected (%s)", async (name, outcome) => {
    const { come, waiting } = await withVisits();
    expect(await come(name)).toEqual(outcome);
    expect(await waiting(front.id)).toBe(0);
  });
});
