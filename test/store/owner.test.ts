import { describe, expect, it } from "vitest";
import { adapters } from "./support/adapters.js";
import {
  attempt,
  back,
  clinic,
  failedAttempt,
  front,
  id,
  kiosk,
  mirror,
  salon,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

describe.each(adapters)("the owner's side of the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("finds the business of a display by the hash of its current link", async () => {
    const { store } = opened();
    const [first, second] = ["a".repeat(64), "b".repeat(64)];
    expect(await store.businesses.find("displayHash", first)).toBeNull();
    await store.businesses.change(clinic.id, { displayHash: first, longWaitMinutes: 30 });
    await store.businesses.change(salon.id, { displayHash: second });
    const changed = { ...clinic, displayHash: first, longWaitMinutes: 30, revision: 1 };
    expect(await store.businesses.find("displayHash", first)).toEqual(changed);
    expect((await store.businesses.find("displayHash", second))?.id).toBe(salon.id);
    await store.businesses.change(clinic.id, { displayHash: null });
    expect(await store.businesses.find("displayHash", first)).toBeNull();
    expect(await store.businesses.find("id", clinic.id)).toEqual({
      ...clinic,
      longWaitMinutes: 30,
      revision: 2,
    });
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

  it("adds a queue once, even when the form is sent twice", async () => {
    const { store } = opened();
    const laboratory = { ...front, id: id("lab"), name: "Laboratory" };
    const add = () => store.queues.add(clinic.id, laboratory);
    expect((await Promise.all([add(), add()])).toSorted()).toEqual(["added", "exists"]);
    expect(await store.queues.list(clinic.id)).toEqual([front, back, laboratory]);
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

  it("keeps the newest 100 of the keys that have ended, and every active key", async () => {
    const ended = Array.from({ length: 102 }, (_, n) => {
      return { ...kiosk, id: id(`ended${n}`), createdAt: kiosk.createdAt + n, revokedAt: 1 };
    });
    const { store } = await opened.with({ keys: [kiosk, ...ended] });
    const added = { ...kiosk, id: id("added"), createdAt: kiosk.createdAt + 200 };
    expect(await store.keys.add(clinic.id, added)).toBe("added");
    const kept = [kiosk, ...ended.slice(2), added].map((key) => key.id);
    expect((await store.keys.list(clinic.id)).map((key) => key.id)).toEqual(kept);
  });
});
