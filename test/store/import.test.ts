import { describe, expect, it } from "vitest";
import type { Store } from "../../server/src/store/store.js";
import { adapters } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import {
  appointment,
  attempt,
  auditRow,
  clinic,
  consult,
  entry,
  front,
  id,
  importOf,
  kiosk,
  mirror,
  salon,
  today,
  token,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

/** Everything that the store can return about the clinic. */
async function everything(store: Store) {
  return {
    businesses: await store.businesses.list(),
    keys: await store.keys.list(clinic.id),
    services: await store.services.list(clinic.id),
    queues: await store.queues.list(clinic.id),
    day: await store.queues.day(clinic.id, front.id, today),
    appointments: await store.appointments.page(clinic.id, today, { limit: 100, after: null }),
    audit: await auditLog(store, clinic.id, 100),
  };
}

const bakery = { ...clinic, id: id("bakery"), slug: "bakery" };

describe.each(adapters)("importing into the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("writes a business with all its parts", async () => {
    const { store } = opened();
    const own = { businessId: bakery.id };
    const outcome = await store.businesses.import(
      [
        importOf(bakery, {
          keys: [{ ...kiosk, ...own, id: id("bakery key") }],
          services: [{ ...consult, ...own, id: id("cake") }],
          queues: [{ ...front, ...own, id: id("counter") }],
          entries: [entry(1, { ...own, queueId: id("counter") })],
          appointments: [appointment("tasting", own)],
        }),
      ],
      { replace: false },
    );
    expect(outcome).toEqual({ outcome: "imported" });
    expect((await store.keys.list(bakery.id)).map((key) => key.id)).toEqual([id("bakery key")]);
    expect(await store.services.list(bakery.id)).toHaveLength(1);
    expect((await store.queues.day(bakery.id, id("counter"), today))?.counts.WAITING).toBe(1);
    expect(await store.appointments.get(bakery.id, id("tasting"))).not.toBeNull();
    expect(await store.businesses.list()).toEqual([clinic, salon, bakery]);
  });

  it("writes nothing when a slug already exists", async () => {
    const { store } = opened();
    const before = await everything(store);
    const again = { ...clinic, id: id("clinic2") };
    const outcome = await store.businesses.import([importOf(bakery), importOf(again)], {
      replace: false,
    });
    expect(outcome).toEqual({ outcome: "slug_exists", slug: "clinic" });
    expect(await everything(store)).toEqual(before);
  });

  it("writes nothing when one entry cannot be written", async () => {
    const { store } = opened();
    await store.entries.issue(clinic.id, token("kept"));
    const before = await everything(store);
    const twice = [entry(1), { ...entry(2), id: entry(1).id }];
    const parts = [
      importOf(bakery),
      importOf({ ...clinic, id: id("clinic2") }, { queues: [front], entries: twice }),
    ];
    await expect(store.businesses.import(parts, { replace: true })).rejects.toThrow();
    expect(await everything(store)).toEqual(before);
  });

  it("replaces a business with all its data, and does not change other businesses", async () => {
    const { store, clock } = opened();
    const key = { key: "key-0001", fingerprint: "body", owner: "owner1" };
    await store.idempotency.claim(clinic.id, key);
    await store.idempotency.claim(salon.id, key);
    await store.entries.issue(clinic.id, token("old", { audit: auditRow("1") }));
    await store.audit.append([auditRow("2", { businessId: salon.id })]);
    await store.admission.admit(attempt());
    const other = { keyId: mirror.id, secretHash: mirror.secretHash };
    await store.admission.admit(attempt({ credentials: other }));

    const reborn = { ...clinic, id: id("reborn"), name: "Clinic, reborn" };
    const outcome = await store.businesses.import([importOf(reborn)], { replace: true });
    expect(outcome).toEqual({ outcome: "imported" });
    expect(await store.businesses.list()).toEqual([salon, reborn]);
    expect(await store.entries.get(clinic.id, id("old"))).toBeNull();
    expect(await store.businesses.idOf("entry", id("old"))).toBeNull();
    expect({ ...(await everything(store)), businesses: [] }).toEqual({
      businesses: [],
      keys: [],
      services: [],
      queues: [],
      day: null,
      appointments: { items: [], more: false },
      audit: [],
    });
    expect((await store.idempotency.claim(clinic.id, key)).outcome).toBe("claimed");

    expect(await auditLog(store, salon.id, 10)).toHaveLength(1);
    expect((await store.idempotency.claim(salon.id, key)).outcome).toBe("in_progress");
    expect((await store.admission.admit(attempt({ credentials: other }))).window.remaining).toBe(3);
    clock.advance(600_000);
    expect((await store.maintenance.prune()).windows).toBe(1); // the window of the salon; that of the clinic was removed with the business
  });

  it("restarts the token numbers of a replaced business", async () => {
    const { store } = opened();
    for (const name of ["one", "two"]) await store.entries.issue(clinic.id, token(name));
    await store.businesses.import([importOf(clinic, { queues: [front] })], { replace: true });
    await store.entries.issue(clinic.id, token("new"));
    expect(await store.entries.get(clinic.id, id("new"))).toMatchObject({
      entry: { tokenNumber: 1 },
      line: { ahead: { people: 0 } },
    });
  });

  it("writes thousands of entries", async () => {
    const { store } = opened();
    const count = 12_000;
    const entries = Array.from({ length: count }, (_, at) => entry(at + 1));
    const part = importOf(clinic, {
      queues: [front],
      entries,
      appointments: [appointment("a")],
    });
    await store.businesses.import([part], { replace: true });
    const last = await store.entries.get(clinic.id, entry(count).id);
    expect(last?.line?.ahead).toEqual({ people: count - 1, knownMinutes: 0, unknown: count - 1 });
  });
});
