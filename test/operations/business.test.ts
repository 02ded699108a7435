import { describe, expect } from "vitest";
import { maxQueues, maxServices } from "../../server/src/operations/business-items.js";
import type { Store } from "../../server/src/operations/store.js";
import { StaleError } from "../../server/src/rules/stale.js";
import {
  account,
  advice,
  appointment,
  attempt,
  back,
  chair,
  clinic,
  consult,
  entry,
  failedAttempt,
  front,
  id,
  kiosk,
  mirror,
  retired,
  salon,
  token,
} from "../store/support/records.js";
import { it, settledStore } from "../store/support/store.js";

const minute = 60_000;
const nobody = id("nobody");

describe("a business", () => {
  it("is listed in the order in which it was added", async ({ store }) => {
    expect(await store.businesses.list()).toEqual([clinic, salon]);
  });

  it("is found by what belongs to it", async () => {
    const { store } = await settledStore({
      entries: [entry(1)],
      appointments: [appointment("visit")],
    });
    const find = store.businesses.find;
    expect(await find("id", salon.id)).toEqual(salon);
    expect(await find("slug", "salon")).toEqual(salon);
    expect(await find("key", mirror.id)).toEqual(salon);
    expect(await find("queue", chair.id)).toEqual(salon);
    expect(await find("entry", entry(1).id)).toEqual(clinic);
    expect(await find("appointment", id("visit"))).toEqual(clinic);
    const keys = ["id", "slug", "displayHash", "key", "queue", "entry", "appointment"] as const;
    for (const by of keys) expect(await find(by, nobody)).toBeNull();
  });

  it("changes only what is asked, on the settings that were seen", async ({ store }) => {
    const seen = { apiAccess: true };
    const switchOff = () => store.businesses.change(clinic.id, { apiAccess: false }, seen);
    expect(await store.businesses.change(nobody, { apiAccess: false })).toBeNull();
    const changed = { ...clinic, apiAccess: false };
    expect(await switchOff()).toEqual(changed);
    expect(await switchOff()).toEqual(changed); // it has the values already
    const stale = store.businesses.change(clinic.id, { longWaitMinutes: 5 }, seen);
    await expect(stale).rejects.toThrow(StaleError);
    expect(await store.businesses.list()).toEqual([changed, salon]);
  });

  it("is found by the hash of the current link to its display", async ({ store }) => {
    const [first, second] = ["a".repeat(64), "b".repeat(64)];
    await store.businesses.change(clinic.id, { displayHash: first });
    await store.businesses.change(salon.id, { displayHash: second });
    const found = async (hash: string) => (await store.businesses.find("displayHash", hash))?.id;
    expect([await found(first), await found(second)]).toEqual([clinic.id, salon.id]);
    await store.businesses.change(clinic.id, { displayHash: null });
    expect(await found(first)).toBeUndefined();
  });
});

describe.each([
  { noun: "queues", own: [front, back], max: maxQueues },
  { noun: "services", own: [consult, advice, retired], max: maxServices },
] as const)("the $noun of a business", ({ noun, own, max }) => {
  /** A test with what both nouns can do. */
  const withItems = it.extend("items", ({ store }) => store[noun] as unknown as Store["queues"]);
  const [first] = own as unknown as [typeof front];
  const added = { ...first, id: id("added"), name: "Added" };

  withItems("are listed in the order in which they were added", async ({ items }) => {
    expect(await items.list(clinic.id)).toEqual(own);
    expect(await items.list(nobody)).toEqual([]);
  });

  withItems("have a limit, and an id once", async ({ items }) => {
    expect(await items.add(clinic.id, first)).toBe("exists");
    for (let n: number = own.length; n < max; n++) {
      expect(await items.add(clinic.id, { ...added, id: id(`item${n}`) })).toBe("added");
    }
    expect(await items.add(clinic.id, added)).toBe("too_many");
    expect(await items.list(clinic.id)).toHaveLength(max);
  });

  withItems("change alone, and only what is asked", async ({ items }) => {
    const changed = { ...first, name: "Changed", revision: 1 };
    expect(await items.change(clinic.id, first.id, { name: "Changed" }, 0)).toEqual(changed);
    expect(await items.list(clinic.id)).toEqual([changed, ...own.slice(1)]);
    expect(await items.change(clinic.id, nobody, { name: "Changed" })).toBeNull();
    expect(await items.change(nobody, first.id, { name: "Changed" })).toBeNull();
  });

  withItems("are removed alone, if nothing refers to them", async ({ items }) => {
    expect(await items.remove(clinic.id, first.id)).toBe("removed");
    expect(await items.remove(clinic.id, first.id)).toBe("not_found");
    expect(await items.remove(nobody, first.id)).toBe("not_found");
    expect(await items.list(clinic.id)).toEqual(own.slice(1));
  });
});

it("nothing is added to a business that does not exist", async ({ store }) => {
  const { queues, services, keys, accounts } = store;
  for (const adding of [
    queues.add(nobody, front),
    services.add(nobody, consult),
    keys.add(nobody, kiosk),
    accounts.add(nobody, account("anna")),
  ]) {
    await expect(adding).rejects.toThrow("does not exist");
  }
});

describe("removing a queue or a service", () => {
  const slack = 11 * minute;

  it.each([0, 400 * 24 * 60 * minute])(
    "is refused %d ms after an entry began to refer to it",
    async (after) => {
      const { store, clock } = await settledStore();
      await store.entries.create(clinic.id, token("one", { serviceId: consult.id }));
      clock.advance(after);
      expect(await store.queues.isInUse(clinic.id, front.id)).toBe(true);
      expect(await store.queues.isInUse(clinic.id, back.id)).toBe(false);
      expect(await store.queues.isInUse(nobody, front.id)).toBe(false);
      expect(await store.queues.remove(clinic.id, front.id)).toBe("in_use");
      expect(await store.services.remove(clinic.id, consult.id)).toBe("in_use");
    },
  );

  it("is refused as long as an appointment refers to it", async ({ store, clock }) => {
    await store.appointments.add(clinic.id, appointment("visit"));
    clock.advance(slack);
    expect(await store.services.remove(clinic.id, consult.id)).toBe("in_use");
    expect(await store.appointments.remove(clinic.id, id("visit"))).toBe("removed");
    expect(await store.services.remove(clinic.id, consult.id)).toBe("removed");
  });

  it.each<[string, (store: Store) => Promise<unknown>]>([
    [
      "an appointment of it",
      async ({ appointments }) => {
        await appointments.add(clinic.id, appointment("visit"));
        await appointments.remove(clinic.id, id("visit"));
      },
    ],
    [
      "a correction to it",
      async ({ entries }) => {
        await entries.create(clinic.id, token("one"));
        const to = { customerName: null, customerPhone: null, phoneIsInternational: false };
        for (const serviceId of [consult.id, null]) {
          const correction = { ...to, serviceId, workMinutes: null };
          await entries.correct(clinic.id, id("one"), correction);
        }
      },
    ],
  ])("is refused for eleven minutes after %s, which is gone", async (_, refer) => {
    const { store, clock } = await settledStore();
    await refer(store);
    const remove = () => store.services.remove(clinic.id, consult.id);
    clock.advance(slack - 1);
    expect(await remove()).toBe("in_use");
    clock.advance(1);
    expect(await remove()).toBe("removed");
  });
});

it("the order of queues is the one that is asked, then the others as they were", async ({
  store,
}) => {
  const lab = { ...front, id: id("lab"), name: "Laboratory" };
  await store.queues.add(clinic.id, lab);
  await store.queues.reorder(clinic.id, [lab.id, nobody, lab.id]);
  expect(await store.queues.list(clinic.id)).toEqual([lab, front, back]);
  await store.queues.reorder(clinic.id, [back.id, front.id, lab.id]);
  expect(await store.queues.list(clinic.id)).toEqual([back, front, lab]);
  await store.queues.reorder(nobody, [back.id]);
});

describe("the keys of a business", () => {
  it("are listed in the order of their creation, with their last use", async () => {
    const early = { ...kiosk, id: id("early"), createdAt: 1 };
    const { store, clock } = await settledStore({ keys: [kiosk, early] });
    await store.admission.admit(attempt());
    expect(await store.keys.list(clinic.id)).toEqual([
      { ...early, lastUsedAt: null },
      { ...kiosk, lastUsedAt: clock() },
    ]);
    expect(await store.keys.list(nobody)).toEqual([]);
  });

  it("show the start of the last minute in which they were admitted", async ({ store, clock }) => {
    const lastUse = async () => (await store.keys.list(clinic.id))[0]?.lastUsedAt;
    await store.admission.admit(failedAttempt());
    expect(await lastUse()).toBeNull();
    const first = clock();
    await store.admission.admit(attempt());
    clock.advance(minute - 1);
    await store.admission.admit(attempt());
    expect(await lastUse()).toBe(first);
    clock.advance(1);
    await store.admission.admit(attempt({ write: true }));
    expect(await lastUse()).toBe(first + minute);
    clock.advance(10 * minute);
    await store.maintenance.removeExpired(); // removes the windows of the key
    await store.businesses.change(clinic.id, { apiAccess: false });
    await store.admission.admit(attempt());
    expect(await lastUse()).toBe(first + minute); // the last request was not admitted
  });

  it("are added until ten are active, each id once in all businesses", async ({ store, clock }) => {
    const add = (name: string, changes = {}) =>
      store.keys.add(clinic.id, { ...kiosk, id: id(name), ...changes });
    const ended = [
      await add("expired", { expiresAt: clock() }),
      await add("old", { revokedAt: 1 }),
    ];
    for (let n = 1; n < 10; n++) ended.push(await add(`key${n}`, { expiresAt: clock() + 1 }));
    expect(ended).toEqual(Array(11).fill("added"));
    expect(await add("more")).toBe("too_many_active");
    expect(await add("key1")).toBe("exists");
    const there = { ...mirror, id: id("key1") };
    expect(await store.keys.add(salon.id, there)).toBe("exists");
    clock.advance(1);
    expect(await add("more")).toBe("added");
  });

  it("that have ended stay up to the newest 100", async () => {
    const ended = Array.from({ length: 102 }, (_, n) => {
      return { ...kiosk, id: id(`ended${n}`), createdAt: kiosk.createdAt + n, revokedAt: 1 };
    });
    const { store } = await settledStore({ keys: [kiosk, ...ended] });
    const added = { ...kiosk, id: id("added"), createdAt: kiosk.createdAt + 200 };
    expect(await store.keys.add(clinic.id, added)).toBe("added");
    const kept = [kiosk, ...ended.slice(2), added].map((key) => key.id);
    expect((await store.keys.list(clinic.id)).map((key) => key.id)).toEqual(kept);
  });

  it("change alone; a revocation counts from the next request on, and keeps its first time", async () => {
    const other = { ...kiosk, id: id("other") };
    const { store, clock } = await settledStore({ keys: [kiosk, other] });
    await store.admission.admit(attempt());
    const revokedAt = clock();
    const revoked = { ...kiosk, revokedAt, revision: 1, lastUsedAt: clock() };
    expect(await store.keys.change(clinic.id, kiosk.id, { revokedAt }, 0)).toEqual(revoked);
    expect((await store.admission.admit(attempt())).outcome).toBe("unauthorized");
    clock.advance(minute);
    const again = await store.keys.change(clinic.id, kiosk.id, { revokedAt: clock(), name: "Old" });
    expect(again).toEqual({ ...revoked, name: "Old", revision: 2 });
    expect(await store.keys.list(clinic.id)).toEqual([again, { ...other, lastUsedAt: null }]);
    expect(await store.keys.change(clinic.id, nobody, { name: "New" })).toBeNull();
    expect(await store.keys.change(nobody, kiosk.id, { name: "New" })).toBeNull();
  });
});
