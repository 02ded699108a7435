import { describe, expect, it } from "vitest";
import { adapters } from "./support/adapters.js";
import {
  appointment,
  auditRow,
  chair,
  clinic,
  entry,
  front,
  id,
  importOf,
  kiosk,
  mirror,
  salon,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

describe.each(adapters)("the owner's side of the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("lists businesses in the order in which they were added, and finds one by its slug", async () => {
    const { store } = opened();
    expect(await store.businesses()).toEqual([clinic, salon]);
    expect(await store.businessBySlug("salon")).toEqual(salon);
    expect(await store.businessBySlug("nobody")).toBeNull();
  });

  it("tells whose a thing is", async () => {
    const { store } = opened();
    const part = importOf(clinic, {
      keys: [kiosk],
      queues: [front],
      entries: [entry(1)],
      appointments: [appointment("a")],
    });
    await store.importBusinesses([part], { replace: true });
    expect(await store.businessIdOf("key", kiosk.id)).toBe(clinic.id);
    expect(await store.businessIdOf("queue", chair.id)).toBe(salon.id);
    expect(await store.businessIdOf("entry", entry(1).id)).toBe(clinic.id);
    expect(await store.businessIdOf("appointment", id("a"))).toBe(clinic.id);
    expect(await store.businessIdOf("queue", kiosk.id)).toBeNull();
  });

  it("switches access and sets the daily limit of one business", async () => {
    const { store } = opened();
    await store.setApiAccess(clinic.id, false);
    await store.setDailyTokenLimit(clinic.id, 3);
    const changed = { ...clinic, apiAccess: false, dailyTokenLimit: 3 };
    expect(await store.businesses()).toEqual([changed, salon]);
    await store.setDailyTokenLimit(clinic.id, null);
    expect((await store.businessBySlug("clinic"))?.dailyTokenLimit).toBeNull();
  });

  it("lists keys by when they were made, and gives every field back", async () => {
    const { store, clock } = opened();
    const older = { ...kiosk, id: id("older"), createdAt: 0, expiresAt: clock() + 1 };
    const b = { ...kiosk, id: id("b"), allowIps: ["2001:db8::1"], scopes: [] };
    const a = { ...kiosk, id: id("a"), revokedAt: 5 };
    for (const key of [b, a, older]) await store.addKey(clinic.id, key);
    expect(await store.keys(clinic.id)).toEqual([older, a, b, kiosk]);
    expect(await store.keys(salon.id)).toEqual([mirror]);
  });

  it("adds keys until ten are active; revoked and expired ones do not count", async () => {
    const { store, clock } = opened();
    const add = (name: string, changes = {}) =>
      store.addKey(clinic.id, { ...kiosk, id: id(name), ...changes });
    await add("expired", { expiresAt: clock() });
    await add("revoked", { revokedAt: clock() });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, n) => add(`key${n}`, { expiresAt: clock() + 1000 })),
    );
    expect(outcomes.filter((outcome) => outcome === "added")).toHaveLength(9); // and the kiosk
    expect(await store.addKey(salon.id, { ...mirror, id: id("another") })).toBe("added");
    clock.advance(1000);
    expect(await add("later")).toBe("added");
  });

  it("revokes a key once and for all", async () => {
    const { store } = opened();
    expect(await store.revokeKey(clinic.id, kiosk.id, 111)).toBe(true);
    expect(await store.revokeKey(clinic.id, kiosk.id, 222)).toBe(true);
    expect(await store.keys(clinic.id)).toEqual([{ ...kiosk, revokedAt: 111 }]);
    expect(await store.revokeKey(salon.id, kiosk.id, 333)).toBe(false);
    expect(await store.revokeKey(clinic.id, id("none"), 333)).toBe(false);
  });

  it("changes the flags that are named and leaves the other", async () => {
    const { store } = opened();
    const paused = { ...front, isTokenCreationPaused: true };
    expect(await store.setQueueFlags(clinic.id, front.id, { isTokenCreationPaused: true })).toEqual(
      paused,
    );
    const closed = { ...paused, isActive: false };
    expect(await store.setQueueFlags(clinic.id, front.id, { isActive: false })).toEqual(closed);
    expect(await store.setQueueFlags(clinic.id, front.id, {})).toEqual(closed);
    expect((await store.queues(clinic.id))[0]).toEqual(closed);
    expect(await store.setQueueFlags(salon.id, front.id, { isActive: true })).toBeNull();
  });

  it("sets the status of an appointment", async () => {
    const { store } = opened();
    const part = importOf(clinic, { appointments: [appointment("a")] });
    await store.importBusinesses([part], { replace: true });
    const after = appointment("a", { status: "CANCELLED" });
    expect(await store.setAppointmentStatus(salon.id, id("a"), "CANCELLED")).toBeNull();
    expect(await store.appointment(clinic.id, id("a"))).toEqual(appointment("a"));
    expect(await store.setAppointmentStatus(clinic.id, id("a"), "CANCELLED")).toEqual(after);
    expect(await store.appointment(clinic.id, id("a"))).toEqual(after);
  });

  it("shows the newest audit rows first, each business its own", async () => {
    const { store } = opened();
    const rows = [auditRow("1"), auditRow("2"), auditRow("3", { at: 0 })];
    await store.appendAudit([...rows, auditRow("4", { businessId: salon.id })]);
    await store.appendAudit([]);
    expect(await store.auditLog(clinic.id, 10)).toEqual(rows.toReversed());
    expect(await store.auditLog(clinic.id, 2)).toEqual([rows[2], rows[1]]);
  });
});
