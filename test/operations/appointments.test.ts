import { describe, expect } from "vitest";
import type { Store } from "../../server/src/operations/store.js";
import type { Appointment } from "../../server/src/rules/records.js";
import { start } from "../store/support/adapters.js";
import {
  advice,
  appointment,
  clinic,
  consult,
  front,
  haircut,
  id,
  retired,
  salon,
  today,
  token,
  tomorrow,
} from "../store/support/records.js";
import { it, settledStore } from "../store/support/store.js";

const nobody = id("nobody");
const asked = { id: id("token"), queueId: front.id, date: today, issuedAt: start };

/** A store whose clinic has these appointments. */
async function withVisits(...visits: readonly Appointment[]) {
  return (await settledStore({ appointments: visits })).store;
}

describe("a list of appointments", () => {
  const visits = [
    appointment("c", { slotTime: "09:00" }),
    appointment("b", { slotTime: "10:00" }),
    appointment("a", { slotTime: "10:00" }),
    appointment("d", { slotTime: "23:59" }),
    appointment("e", { date: tomorrow }),
  ];
  const first = { limit: 1, after: null };
  const early = { slotTime: "08:00" };

  it.each<[string, (store: Store["appointments"]) => Promise<unknown>]>([
    ["is as it was", async () => {}],
    ["was removed", ({ remove }) => remove(clinic.id, id("c"))],
    ["was moved to an earlier time", ({ change }) => change(clinic.id, id("c"), early)],
    ["was moved to another day", ({ change }) => change(clinic.id, id("c"), { date: tomorrow })],
  ])("is in the order of times, then ids, and goes on when its last item %s", async (_, act) => {
    const { appointments } = await withVisits(...visits);
    const page = await appointments.page(clinic.id, today, first);
    if (page === "cursor_unknown") throw new Error(page);
    expect(page.items.map((one) => one.appointment.id)).toEqual([id("c")]);
    await act(appointments);
    const rest = await appointments.page(clinic.id, today, { limit: 3, after: page.nextCursor });
    expect(rest).toMatchObject({
      items: [visits[2], visits[1], visits[3]].map((appointment) => ({ appointment })),
      nextCursor: null,
    });
    const there = await appointments.page(salon.id, today, first);
    expect(there).toEqual({ items: [], nextCursor: null });
  });
});

describe("an appointment", () => {
  const visit = appointment("visit");

  it.each([
    ["no service", null, "added"],
    ["an active service", consult.id, "added"],
    ["an inactive service", retired.id, "service_unknown"],
    ["a service of another business", haircut.id, "service_unknown"],
    ["an unknown service", nobody, "service_unknown"],
  ])("is added with %s: %s", async (_, serviceId, outcome) => {
    const { appointments } = await withVisits();
    const one = { ...visit, serviceId };
    expect(await appointments.add(clinic.id, one)).toMatchObject({ outcome });
    const kept = outcome === "added" ? { appointment: one, entry: null } : null;
    expect(await appointments.get(clinic.id, visit.id)).toEqual(kept);
  });

  it("is added once", async () => {
    const { appointments } = await withVisits(visit);
    expect(await appointments.add(clinic.id, visit)).toEqual({ outcome: "exists" });
  });

  it("changes only what is asked", async () => {
    const { appointments } = await withVisits(visit);
    const appointment = { ...visit, notes: "second visit", revision: 1 };
    const changed = await appointments.change(clinic.id, visit.id, { notes: "second visit" });
    expect(changed).toEqual({ outcome: "changed", appointment });
    expect(await appointments.get(clinic.id, visit.id)).toMatchObject({ appointment });
  });

  it("takes an active service of its business, and keeps one that is no longer active", async () => {
    const { appointments } = await withVisits({ ...visit, serviceId: retired.id });
    const change = async (serviceId: string | null) =>
      (await appointments.change(clinic.id, visit.id, { serviceId, notes: null })).outcome;
    expect(await change(retired.id)).toBe("changed");
    expect(await change(haircut.id)).toBe("service_unknown");
    expect(await change(advice.id)).toBe("changed");
    expect(await change(retired.id)).toBe("service_unknown");
    expect(await change(null)).toBe("changed");
  });

  it("is not there any more when it is removed", async () => {
    const { appointments } = await withVisits(visit);
    expect(await appointments.remove(clinic.id, nobody)).toBe("not_found");
    expect(await appointments.remove(clinic.id, visit.id)).toBe("removed");
    expect(await appointments.remove(clinic.id, visit.id)).toBe("not_found");
    expect(await appointments.get(clinic.id, visit.id)).toBeNull();
    const page = await appointments.page(clinic.id, today, { limit: 5, after: null });
    expect(page).toMatchObject({ items: [] });
  });
});

describe("a check-in", () => {
  it("issues a token with what the appointment says, and the entry decides its status", async () => {
    const visit = appointment("visit", { phoneIsInternational: true });
    const { appointments, entries } = await withVisits(visit, appointment("other"));
    const { customerName, customerPhone } = visit;
    const entry = {
      id: asked.id,
      customerName,
      customerPhone,
      phoneIsInternational: true,
      priority: false,
      serviceId: consult.id,
      workMinutes: 15,
      appointmentId: visit.id,
      issuedAt: start,
    };
    expect(await appointments.checkIn(clinic.id, visit.id, asked)).toMatchObject({
      outcome: "created",
      receipt: { entry, location: null },
    });
    expect(await appointments.remove(clinic.id, visit.id)).toBe("in_use");
    const status = async () => (await appointments.get(clinic.id, visit.id))?.appointment.status;
    expect(await status()).toBe("CHECKED_IN");
    await entries.transition(clinic.id, asked.id, "cancel", start);
    expect(await status()).toBe("CANCELLED");
    const list = await appointments.page(clinic.id, today, { limit: 5, after: null });
    expect(list).toMatchObject({
      items: [
        { appointment: { id: id("other") }, entry: null },
        { appointment: { id: id("visit"), status: "CANCELLED" }, entry: { id: asked.id } },
      ],
    });
  });

  it("issues no second token, even when the appointment is changed afterwards", async () => {
    const { appointments } = await withVisits(appointment("visit"));
    await appointments.checkIn(clinic.id, id("visit"), asked);
    await appointments.change(clinic.id, id("visit"), { status: "CONFIRMED" });
    const again = { ...asked, id: id("again") };
    expect(await appointments.checkIn(clinic.id, id("visit"), again)).toEqual({
      outcome: "not_expected",
      status: "CHECKED_IN",
    });
  });

  it("has no service that is no longer active", async () => {
    const { appointments, services } = await withVisits(appointment("visit"));
    await services.change(clinic.id, consult.id, { active: false });
    expect(await appointments.checkIn(clinic.id, id("visit"), asked)).toMatchObject({
      receipt: { entry: { serviceId: null } },
    });
  });

  it("takes a checked-in appointment without a token, of today alone", async () => {
    const { appointments } = await withVisits(
      appointment("here", { status: "CHECKED_IN", serviceId: null }),
      appointment("later", { date: tomorrow }),
      appointment("gone", { status: "NO_SHOW" }),
    );
    const checkIn = async (name: string) => appointments.checkIn(clinic.id, id(name), asked);
    expect(await checkIn("later")).toEqual({ outcome: "other_day" });
    expect(await checkIn("gone")).toEqual({ outcome: "not_expected", status: "NO_SHOW" });
    expect(await checkIn("here")).toMatchObject({ outcome: "created" });
  });

  it("is refused as a creation is", async () => {
    const { appointments, entries } = await withVisits(appointment("visit"));
    const elsewhere = { ...asked, queueId: nobody };
    const refused = await appointments.checkIn(clinic.id, id("visit"), elsewhere);
    expect(refused).toEqual({ outcome: "queue_not_found" });
    await entries.create(clinic.id, token("another"));
    expect(await appointments.checkIn(clinic.id, id("visit"), asked)).toMatchObject({
      receipt: { entry: { tokenNumber: 2 }, line: { ahead: { people: 1 } } },
    });
  });

  it("decides the state and the time from then on: no owner sets another", async () => {
    const store = await withVisits(appointment("visit"));
    await store.appointments.checkIn(clinic.id, id("visit"), asked);
    const change = (asked: Partial<Appointment>) =>
      store.appointments.change(clinic.id, id("visit"), asked);
    for (const asked of [
      { status: "CANCELLED" },
      { date: tomorrow },
      { slotTime: "23:00" },
    ] as const)
      expect(await change(asked)).toEqual({ outcome: "has_token" });
    const sent = { date: today, notes: "second visit" };
    expect(await change(sent)).toMatchObject({ outcome: "changed", appointment: sent });
    expect(await store.appointments.get(clinic.id, id("visit"))).toMatchObject({
      appointment: { status: "CHECKED_IN" },
      entry: { status: "WAITING" },
    });
  });
});
