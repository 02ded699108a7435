import { describe, expect, it } from "vitest";
import { adapters } from "./support/adapters.js";
import {
  advice,
  appointment,
  back,
  chair,
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
} from "./support/records.js";
import { freshStore } from "./support/store.js";

const firstPage = { limit: 100, after: null };

describe.each(adapters)("queues in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("changes the given fields of a queue and no others", async () => {
    const { store } = opened();
    const change = (changes: Parameters<typeof store.queues.change>[2]) =>
      store.queues.change(clinic.id, front.id, changes);
    const paused = { ...front, isTokenCreationPaused: true };
    expect(await change({ isTokenCreationPaused: true })).toEqual(paused);
    const closed = { ...paused, isActive: false };
    expect(await change({ isActive: false })).toEqual(closed);
    expect(await change({})).toEqual(closed);
    const renamed = { ...closed, name: "Window", tokenSeries: "W" };
    expect(await change({ name: "Window", tokenSeries: "W" })).toEqual(renamed);
    expect(await store.queues.list(clinic.id)).toEqual([renamed, back]);
    expect(await store.queues.change(salon.id, front.id, { isActive: true })).toBeNull();
  });

  it("lists a new queue last, and issues tokens in it at once", async () => {
    const { store } = opened();
    const laboratory = { ...front, id: id("lab"), name: "Laboratory", tokenSeries: "L" };
    await store.queues.add(clinic.id, laboratory);
    expect(await store.queues.list(clinic.id)).toEqual([front, back, laboratory]);
    expect(await store.queues.list(salon.id)).toEqual([chair]);
    await store.entries.issue(clinic.id, token("t", { queueId: laboratory.id }));
    const issued = await store.entries.get(clinic.id, id("t"));
    expect(issued?.entry).toMatchObject({ tokenSeries: "L", tokenNumber: 1 });
  });

  it("puts queues in another order; those that are not named follow", async () => {
    const { store } = opened();
    const laboratory = { ...front, id: id("lab"), name: "Laboratory", tokenSeries: "L" };
    await store.queues.add(clinic.id, laboratory);
    await store.queues.reorder(clinic.id, [laboratory.id, chair.id, id("none")]);
    expect(await store.queues.list(clinic.id)).toEqual([laboratory, front, back]);
    await store.queues.reorder(clinic.id, [back.id, front.id, laboratory.id]);
    expect(await store.queues.list(clinic.id)).toEqual([back, front, laboratory]);
    const board = await store.boards.get(clinic.id, today, { limit: 1, part: null });
    expect(board.queues.map(({ queue }) => queue)).toEqual([back, front, laboratory]);
    expect(await store.queues.list(salon.id)).toEqual([chair]);
  });

  it("adds a queue once, even when the form is sent twice", async () => {
    const { store } = opened();
    const laboratory = { ...front, id: id("lab"), name: "Laboratory" };
    const add = () => store.queues.add(clinic.id, laboratory);
    expect((await Promise.all([add(), add()])).toSorted()).toEqual(["added", "exists"]);
    expect(await store.queues.list(clinic.id)).toEqual([front, back, laboratory]);
  });

  it("removes a queue that never gave a token", async () => {
    const { store } = opened();
    const remove = (queueId: string, businessId = clinic.id) =>
      store.queues.remove(businessId, queueId);
    expect(await remove(back.id, salon.id)).toBe("not_found");
    await store.entries.issue(clinic.id, token("t"));
    await store.entries.transfer(clinic.id, id("t"), back.id);
    expect(await remove(front.id)).toBe("in_use"); // its number belongs to the person who left
    expect(await remove(back.id)).toBe("in_use");
    await store.queues.add(clinic.id, { ...front, id: id("lab") });
    expect(await remove(id("lab"))).toBe("removed");
    expect(await remove(id("lab"))).toBe("not_found");
    expect(await store.queues.list(clinic.id)).toEqual([front, back]);
  });

  it("uses a new series for new tokens only, and continues the numbers", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("before"));
    await store.queues.change(clinic.id, front.id, { tokenSeries: "Z" });
    await store.entries.issue(clinic.id, token("after"));
    const page = await store.entries.page(clinic.id, front.id, today, null, firstPage);
    if (typeof page === "string") throw new Error(page);
    const labels = page.items.map(({ entry }) => `${entry.tokenSeries}${entry.tokenNumber}`);
    expect(labels).toEqual(["A1", "Z2"]);
  });
});

describe.each(adapters)("services in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("changes the given fields of a service and no others", async () => {
    const { store } = opened();
    const change = (changes: Parameters<typeof store.services.change>[2]) =>
      store.services.change(clinic.id, consult.id, changes);
    const free = { ...consult, price: null };
    expect(await change({ price: null })).toEqual(free);
    const long = { ...free, name: "Long talk", baseTimeMinutes: 45 };
    expect(await change({ name: "Long talk", baseTimeMinutes: 45 })).toEqual(long);
    expect(await change({})).toEqual(long);
    expect(await store.services.list(clinic.id)).toEqual([long, advice, retired]);
    expect(await store.services.change(salon.id, consult.id, { active: false })).toBeNull();
  });

  it("lists a new service last, and issues tokens for it at once", async () => {
    const { store } = opened();
    const xray = { ...consult, id: id("xray"), name: "X-ray", baseTimeMinutes: 20 };
    await store.services.add(clinic.id, xray);
    expect(await store.services.list(clinic.id)).toEqual([consult, advice, retired, xray]);
    expect(await store.services.list(salon.id)).toEqual([haircut]);
    await store.entries.issue(clinic.id, token("t", { serviceId: xray.id }));
    expect((await store.entries.get(clinic.id, id("t")))?.entry.workMinutes).toBe(20);
  });

  it("adds a service once, and removes one that nobody has", async () => {
    const { store } = opened();
    const xray = { ...consult, id: id("xray") };
    expect(await store.services.add(clinic.id, xray)).toBe("added");
    expect(await store.services.add(clinic.id, xray)).toBe("exists");
    await store.entries.issue(clinic.id, token("t", { serviceId: advice.id }));
    await store.appointments.add(clinic.id, appointment("a", { serviceId: retired.id }));
    const remove = (serviceId: string, businessId = clinic.id) =>
      store.services.remove(businessId, serviceId);
    expect(await remove(xray.id, salon.id)).toBe("not_found");
    expect(await remove(advice.id)).toBe("in_use");
    expect(await remove(retired.id)).toBe("in_use");
    expect(await remove(xray.id)).toBe("removed");
    expect(await store.services.list(clinic.id)).toEqual([consult, advice, retired]);
  });

  it("issues no token for an inactive service", async () => {
    const { store } = opened();
    await store.services.change(clinic.id, consult.id, { active: false });
    const asked = token("t", { serviceId: consult.id });
    expect(await store.entries.issue(clinic.id, asked)).toEqual({ outcome: "service_unknown" });
  });
});

describe.each(adapters)("appointments in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("changes the given fields of an appointment, and lists it at its new slot", async () => {
    const visits = [appointment("a"), appointment("b", { slotTime: "11:00" })];
    const { store } = await opened.with({ appointments: visits });
    const after = appointment("a", { status: "CANCELLED" });
    const change = (changes: Parameters<typeof store.appointments.change>[2]) =>
      store.appointments.change(clinic.id, id("a"), changes);
    expect(await change({ status: "CANCELLED" })).toEqual(after);
    const later = { ...after, slotTime: "12:00", serviceId: null, notes: null };
    expect(await change({ slotTime: "12:00", serviceId: null, notes: null })).toEqual(later);
    expect(await change({})).toEqual(later);
    const page = await store.appointments.page(clinic.id, today, firstPage);
    expect(page).toEqual({ items: [visits[1], later], more: false });
    expect(await change({ date: tomorrow })).toEqual({ ...later, date: tomorrow });
    expect(await store.appointments.page(clinic.id, today, firstPage)).toEqual({
      items: [visits[1]],
      more: false,
    });
  });

  it("continues a list after the current slot of the appointment that ended the previous page", async () => {
    const { store } = opened();
    for (const [name, slotTime] of [
      ["a", "09:00"],
      ["b", "10:00"],
      ["c", "11:00"],
      ["d", "12:00"],
    ] as const) {
      await store.appointments.add(clinic.id, appointment(name, { slotTime }));
    }
    const page = (after: string | null) =>
      store.appointments.page(clinic.id, today, { limit: 1, after });
    await page(null);
    await store.appointments.change(clinic.id, id("a"), { slotTime: "11:30" });
    expect(await page(id("a"))).toMatchObject({ items: [{ id: id("d") }] });
    await store.appointments.change(clinic.id, id("a"), { date: tomorrow });
    expect(await page(id("a"))).toBe("cursor_unknown");
  });

  it("adds an appointment once, and removes one without a token", async () => {
    const { store } = opened();
    const add = (name: string, changes = {}) =>
      store.appointments.add(clinic.id, appointment(name, changes));
    expect([await add("a"), await add("a")]).toEqual(["added", "exists"]);
    await add("b", { entryId: id("t"), status: "CHECKED_IN" });
    const remove = (name: string, businessId = clinic.id) =>
      store.appointments.remove(businessId, id(name));
    expect(await remove("a", salon.id)).toBe("not_found");
    expect(await remove("b")).toBe("in_use");
    expect([await remove("a"), await remove("a")]).toEqual(["removed", "not_found"]);
    expect(await store.appointments.get(clinic.id, id("a"))).toBeNull();
  });

  it("changes no appointment of another business", async () => {
    const { store } = opened();
    await store.appointments.add(clinic.id, appointment("a"));
    expect(await store.appointments.change(salon.id, id("a"), { status: "CANCELLED" })).toBeNull();
    expect(await store.appointments.get(clinic.id, id("a"))).toEqual(appointment("a"));
    expect(await store.appointments.get(salon.id, id("a"))).toBeNull();
  });
});
