import { describe, expect, it } from "vitest";
import { everyPart } from "../../server/src/operations/every-part.js";
import type { Store } from "../../server/src/operations/store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { adapters } from "./support/adapters.js";
import { audited, auditLog } from "./support/audit.js";
import {
  appointment,
  attempt,
  auditRow,
  back,
  chair,
  clinic,
  entry,
  front,
  id,
  importOf,
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

/** Removes what no business names, to its end. */
async function pruneAll(store: Store): Promise<void> {
  while ((await store.maintenance.prune()).unnamed > 0);
}

const hour = 3_600_000;
const bakery = { ...clinic, id: id("bakery"), slug: "bakery" };
const own = { businessId: bakery.id };
const counter = { ...front, ...own, id: id("counter") };
const order = (n: number) => entry(n, { ...own, queueId: counter.id });
const head = {
  business: bakery,
  ...{ queues: [counter], services: [], keys: [], accounts: [] },
};
const keyed = { key: "key-0001", fingerprint: "body" };

describe.each(adapters)("importing into the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("writes nothing when a slug already exists", async () => {
    const { store } = opened();
    const before = await everything(store);
    const again = { ...clinic, id: id("clinic2") };
    const outcome = await importBusinesses(store, [importOf(bakery), importOf(again)], {
      replace: false,
    });
    expect(outcome).toEqual({ outcome: "slug_exists", slug: "clinic" });
    await store.imports.begin(again.id);
    expect(await store.imports.commit({ ...head, business: again }, { replace: false })).toBe(
      "slug_exists",
    );
    expect(await everything(store)).toEqual(before);
  });

  it("shows nothing of a business before its commit, and the same part twice is one part", async () => {
    const { store } = opened();
    const before = await everything(store);
    await store.imports.begin(bakery.id);
    await store.imports.add(bakery.id, "entries", [{ entry: order(1), keyed: null }], 0);
    for (let time = 0; time < 2; time++) {
      await store.imports.add(bakery.id, "entries", [{ entry: order(2), keyed: null }], 1);
      await store.imports.add(bakery.id, "appointments", [appointment("tasting", own)], 0);
      await store.imports.add(bakery.id, "audit", [auditRow("1", own)], 0);
    }
    expect(await everything(store)).toEqual(before);
    expect(await store.businesses.find("entry", order(1).id)).toBeNull();
    expect(await store.imports.head(bakery.id)).toBeNull();
    expect((await store.monitoring.linesByDay([today])).length).toBe(0);
    expect(await store.imports.commit(head, { replace: false })).toBe("imported");
    expect((await store.queues.day(bakery.id, counter.id, today))?.counts.WAITING).toBe(2);
    expect(await store.imports.head(bakery.id)).toEqual(head);
    expect(await auditLog(store, bakery.id, 10)).toEqual([auditRow("1", own)]);
    const entries = [];
    for await (const part of everyPart((after) =>
      store.imports.read(bakery.id, "entries", after),
    )) {
      entries.push(...part.map((one) => one.entry));
    }
    expect(entries).toEqual([order(1), order(2)]);
  });

  it("removes what was added and never committed, an hour after its last part", async () => {
    const { store, clock } = opened();
    const addOrder = (n: number) =>
      store.imports.add(bakery.id, "entries", [{ entry: order(n), keyed: null }], n - 1);
    await store.imports.begin(bakery.id);
    await addOrder(1);
    clock.advance(hour - 1);
    expect((await store.maintenance.prune()).unnamed).toBe(0);
    await addOrder(2);
    clock.advance(hour - 1);
    expect((await store.maintenance.prune()).unnamed).toBe(0);
    clock.advance(1);
    expect((await store.maintenance.prune()).unnamed).toBeGreaterThan(0);
    await pruneAll(store);
    await expect(addOrder(3)).rejects.toThrow(/import again/);
    await expect(store.imports.commit(head, { replace: false })).rejects.toThrow(/import again/);
    await store.imports.begin(bakery.id);
    await addOrder(1);
    expect(await store.imports.commit(head, { replace: false })).toBe("imported");
    expect((await store.queues.day(bakery.id, counter.id, today))?.counts.WAITING).toBe(1);
  });

  it("lets an import go on after the clock leapt forward and back", async () => {
    const { store, clock } = opened();
    await store.imports.begin(bakery.id);
    await store.imports.add(bakery.id, "entries", [{ entry: order(1), keyed: null }], 0);
    clock.leap(24 * hour);
    await pruneAll(store);
    await store.imports.add(bakery.id, "entries", [{ entry: order(2), keyed: null }], 1);
    clock.leap(-24 * hour);
    await pruneAll(store);
    expect(await store.imports.commit(head, { replace: false })).toBe("imported");
    expect((await store.queues.day(bakery.id, counter.id, today))?.counts.WAITING).toBe(2);
  });

  it("replaces a business with all its data at once, and does not change other businesses", async () => {
    const { store, clock } = opened();
    await audited(store, auditRow("1")).entries.issue(clinic.id, token("old", { keyed }));
    const inSalon = (name: string) =>
      store.entries.issue(salon.id, token(name, { keyed, queueId: chair.id }));
    await inSalon("kept");
    await store.audit.append([auditRow("2", { businessId: salon.id })]);
    await store.admission.admit(attempt());
    const other = { keyId: mirror.id, secretHash: mirror.secretHash };
    await store.admission.admit(attempt({ credentials: other }));

    const reborn = { ...clinic, id: id("reborn"), name: "Clinic, reborn" };
    const desk = { ...front, businessId: reborn.id, id: id("reborn desk") };
    const outcome = await importBusinesses(store, [importOf(reborn, { queues: [desk] })], {
      replace: true,
    });
    expect(outcome).toEqual({ outcome: "imported" });
    expect(await store.businesses.list()).toEqual([salon, reborn]);
    expect(await store.businesses.find("id", clinic.id)).toBeNull();
    expect(await store.entries.get(clinic.id, id("old"))).toBeNull();
    expect(await store.businesses.find("entry", id("old"))).toBeNull();
    expect(await store.entries.issue(clinic.id, token("late"))).toEqual({
      outcome: "queue_not_found",
    });
    expect((await store.admission.admit(attempt())).outcome).toBe("unauthorized");
    expect({ ...(await everything(store)), ...{ businesses: [], audit: [] } }).toEqual({
      businesses: [],
      keys: [],
      services: [],
      queues: [],
      day: null,
      appointments: { items: [], nextCursor: null },
      audit: [],
    });
    const first = await store.entries.issue(reborn.id, token("t", { queueId: desk.id, keyed }));
    expect(first.outcome).toBe("issued");
    const found = await store.entries.get(reborn.id, id("t"));
    expect(found).toMatchObject({ entry: { tokenNumber: 1 }, line: { ahead: { people: 0 } } });

    expect(await auditLog(store, salon.id, 10)).toHaveLength(1);
    expect((await inSalon("again")).outcome).toBe("replay");
    expect((await store.admission.admit(attempt({ credentials: other }))).window.remaining).toBe(3);
    clock.advance(2 * hour);
    await pruneAll(store);
    expect(await auditLog(store, clinic.id, 10)).toEqual([]);
    expect(await store.businesses.list()).toEqual([salon, reborn]);
    expect(await store.entries.get(reborn.id, id("t"))).not.toBeNull();
    expect(await store.entries.get(salon.id, id("kept"))).not.toBeNull();
  });

  it("writes thousands of entries", async () => {
    const { store } = opened();
    const room = { ...back, ...own, id: id("room") };
    const entries = Array.from({ length: 12_000 }, (_, at) => ({
      ...order((at % 6_000) + 1),
      ...{ id: id(`order${at}`), placeInDay: at + 1 },
      queueId: at < 6_000 ? counter.id : room.id,
    }));
    const part = importOf(bakery, { queues: [counter, room], entries });
    await importBusinesses(store, [part], { replace: false });
    const last = await store.entries.get(bakery.id, id("order11999"));
    expect(last?.line?.ahead).toEqual({ people: 5_999, knownMinutes: 0, unknown: 5_999 });
    const board = await store.boards.get(bakery.id, today, { limit: 1, part: null });
    expect(board.queues.map(({ counts }) => counts.WAITING)).toEqual([6_000, 6_000]);
  });
});
