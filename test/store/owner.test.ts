import { describe, expect, it } from "vitest";
import type { ApiKey } from "../../server/src/rules/records.js";
import { adapters } from "./support/adapters.js";
import {
  appointment,
  attempt,
  chair,
  clinic,
  entry,
  failedAttempt,
  id,
  kiosk,
  mirror,
  salon,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

/** A key before its first use, as the owner sees it. */
const unused = (key: ApiKey) => ({ ...key, lastUsedAt: null });

describe.each(adapters)("the owner's side of the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("lists businesses in the order of addition, and finds one by its slug", async () => {
    const { store } = opened();
    expect(await store.businesses.list()).toEqual([clinic, salon]);
    expect(await store.businesses.bySlug("salon")).toEqual(salon);
    expect(await store.businesses.bySlug("nobody")).toBeNull();
  });

  it("finds the business of an id", async () => {
    const { store } = await opened.with({
      entries: [entry(1)],
      appointments: [appointment("a")],
    });
    expect(await store.businesses.idOf("key", kiosk.id)).toBe(clinic.id);
    expect(await store.businesses.idOf("queue", chair.id)).toBe(salon.id);
    expect(await store.businesses.idOf("entry", entry(1).id)).toBe(clinic.id);
    expect(await store.businesses.idOf("appointment", id("a"))).toBe(clinic.id);
    expect(await store.businesses.idOf("queue", kiosk.id)).toBeNull();
  });

  it("switches access and sets the daily limit of one business", async () => {
    const { store } = opened();
    await store.businesses.change(clinic.id, { apiAccess: false });
    await store.businesses.change(clinic.id, { dailyTokenLimit: 3 });
    const changed = { ...clinic, apiAccess: false, dailyTokenLimit: 3 };
    expect(await store.businesses.list()).toEqual([changed, salon]);
    await store.businesses.change(clinic.id, { dailyTokenLimit: null });
    expect((await store.businesses.bySlug("clinic"))?.dailyTokenLimit).toBeNull();
  });

  it("finds the business of a display by the hash of its current link", async () => {
    const { store } = opened();
    const [first, second] = ["a".repeat(64), "b".repeat(64)];
    expect(await store.businesses.byDisplay(first)).toBeNull();
    await store.businesses.change(clinic.id, { displayHash: first, longWaitMinutes: 30 });
    await store.businesses.change(salon.id, { displayHash: second });
    const changed = { ...clinic, displayHash: first, longWaitMinutes: 30 };
    expect(await store.businesses.byDisplay(first)).toEqual(changed);
    expect((await store.businesses.byDisplay(second))?.id).toBe(salon.id);
    await store.businesses.change(clinic.id, { displayHash: null });
    expect(await store.businesses.byDisplay(first)).toBeNull();
    expect(await store.businesses.get(clinic.id)).toEqual({ ...clinic, longWaitMinutes: 30 });
  });

  it("sets the sandbox flag of one business", async () => {
    const { store } = opened();
    await store.businesses.change(clinic.id, { sandbox: true });
    expect(await store.businesses.list()).toEqual([{ ...clinic, sandbox: true }, salon]);
    await store.businesses.change(salon.id, { sandbox: false });
    const changed = { ...salon, sandbox: false };
    expect(await store.businesses.bySlug("salon")).toEqual(changed);
    const credentials = { keyId: mirror.id, secretHash: mirror.secretHash };
    expect(await store.admission.admit(attempt({ credentials }))).toMatchObject({
      key: mirror,
      business: changed,
    });
  });

  it("lists keys in the order of creation, with every field", async () => {
    const { store, clock } = opened();
    const older = { ...kiosk, id: id("older"), createdAt: 0, expiresAt: clock() + 1 };
    const b = { ...kiosk, id: id("b"), allowIps: ["2001:db8::1"], scopes: [] };
    const a = { ...kiosk, id: id("a"), revokedAt: 5 };
    for (const key of [b, a, older]) await store.keys.add(clinic.id, key);
    expect(await store.keys.list(clinic.id)).toEqual([older, a, b, kiosk].map(unused));
    expect(await store.keys.list(salon.id)).toEqual([unused(mirror)]);
  });

  it("changes the given fields of a key from the next request, and no others", async () => {
    const { store } = opened();
    const allowIps = ["198.51.100.0/24", "2001:db8::1"];
    expect(await store.keys.change(clinic.id, kiosk.id, { allowIps })).toBe(true);
    expect((await store.admission.admit(attempt())).outcome).toBe("ip_not_allowed");
    expect((await store.admission.admit(attempt({ address: "198.51.100.9" }))).outcome).toBe(
      "admitted",
    );
    expect((await store.admission.admit(attempt({ address: "2001:db8::1" }))).outcome).toBe(
      "admitted",
    );
    await store.keys.change(clinic.id, kiosk.id, { allowIps: [], requestsPerMinute: 2 });
    expect((await store.admission.admit(attempt())).outcome).toBe("rate_limited");
    await store.keys.change(clinic.id, kiosk.id, { requestsPerMinute: 9, writesPerMinute: 1 });
    expect((await store.admission.admit(attempt({ write: true }))).outcome).toBe("admitted");
    expect((await store.admission.admit(attempt({ write: true }))).outcome).toBe("rate_limited");
    await store.keys.change(clinic.id, kiosk.id, { name: "Renamed" });
    const changed = { ...kiosk, name: "Renamed", requestsPerMinute: 9, writesPerMinute: 1 };
    expect(await store.keys.list(clinic.id)).toMatchObject([changed]);
  });

  it("changes no key of another business, and reports whether the key exists", async () => {
    const { store } = opened();
    expect(await store.keys.change(salon.id, kiosk.id, { name: "Taken" })).toBe(false);
    expect(await store.keys.change(clinic.id, id("none"), { name: "Taken" })).toBe(false);
    expect(await store.keys.change(clinic.id, kiosk.id, {})).toBe(true);
    expect(await store.keys.list(clinic.id)).toEqual([unused(kiosk)]);
  });

  it("stores the start of the last minute in which a key was admitted", async () => {
    const { store, clock } = opened();
    const lastUse = async () => (await store.keys.list(clinic.id))[0]?.lastUsedAt;
    await store.admission.admit(failedAttempt());
    expect(await lastUse()).toBeNull();
    const first = clock();
    await store.admission.admit(attempt());
    clock.advance(59_999);
    await store.admission.admit(attempt());
    expect(await lastUse()).toBe(first);
    clock.advance(1);
    await store.admission.admit(attempt({ write: true }));
    expect(await lastUse()).toBe(first + 60_000);
    clock.advance(600_000);
    await store.maintenance.prune(); // removes the windows of the key
    expect(await lastUse()).toBe(first + 60_000);
    await store.businesses.change(clinic.id, { apiAccess: false });
    await store.admission.admit(attempt());
    expect(await lastUse()).toBe(first + 60_000); // the request was not admitted
  });

  it("adds keys until ten are active; revoked and expired keys do not count", async () => {
    const { store, clock } = opened();
    const add = (name: string, changes = {}) =>
      store.keys.add(clinic.id, { ...kiosk, id: id(name), ...changes });
    await add("expired", { expiresAt: clock() });
    await add("revoked", { revokedAt: clock() });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, n) => add(`key${n}`, { expiresAt: clock() + 1000 })),
    );
    expect(outcomes.filter((outcome) => outcome === "added")).toHaveLength(9); // and the kiosk key
    expect(await store.keys.add(salon.id, { ...mirror, id: id("another") })).toBe("added");
    clock.advance(1000);
    expect(await add("later")).toBe("added");
  });

  it("adds a key once, even when the request is repeated", async () => {
    const { store } = opened();
    const key = { ...kiosk, id: id("once") };
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => store.keys.add(clinic.id, key)),
    );
    expect(outcomes.filter((outcome) => outcome === "added")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "exists")).toHaveLength(7);
    expect(await store.keys.add(salon.id, { ...key, businessId: salon.id })).toBe("exists");
    const more = Array.from({ length: 9 }, (_, n) => ({ ...kiosk, id: id(`more${n}`) }));
    for (const key of more.slice(0, 8)) expect(await store.keys.add(clinic.id, key)).toBe("added");
    expect(await store.keys.add(clinic.id, more[8] ?? key)).toBe("too_many_active");
    expect(await store.keys.add(clinic.id, key)).toBe("exists");
  });

  it("revokes a key permanently", async () => {
    const { store } = opened();
    expect(await store.keys.revoke(clinic.id, kiosk.id, 111)).toBe(true);
    expect(await store.keys.revoke(clinic.id, kiosk.id, 222)).toBe(true);
    expect(await store.keys.list(clinic.id)).toEqual([unused({ ...kiosk, revokedAt: 111 })]);
    expect(await store.keys.revoke(salon.id, kiosk.id, 333)).toBe(false);
    expect(await store.keys.revoke(clinic.id, id("none"), 333)).toBe(false);
  });
});
