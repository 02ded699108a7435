import { createLogger } from "@queue-api/server";
import { describe, expect } from "vitest";
import { Housekeeper } from "../../server/src/housekeeper.js";
import { appointmentRecord } from "../../server/src/operations/appointments.js";
import { entryRecord } from "../../server/src/operations/entry-record.js";
import type { Store } from "../../server/src/operations/store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { newAccountSession } from "../../server/src/rules/account-session.js";
import { audited, auditLog } from "../store/support/audit.js";
import {
  account,
  appointment,
  attempt,
  auditRow,
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
} from "../store/support/records.js";
import { it } from "../store/support/store.js";

const hour = 3_600_000;
const keyed = { key: "key-0001", fingerprint: "body" };
const bakery = { ...clinic, id: id("bakery"), slug: "bakery" };
const own = { businessId: bakery.id };
const counter = { ...front, ...own, id: id("counter") };
const order = (n: number) => entry(n, { ...own, queueId: counter.id });
const head = { ...bakery, queues: [counter], services: [], keys: [], accounts: [] };

const addOrder = (store: Store, n: number) =>
  store.imports.add(bakery.id, "entries", [entryRecord(order(n), null, 0)]);
const commit = ({ imports }: Store) => imports.commit(head, { replace: false });
const waiting = async ({ queues }: Store) =>
  (await queues.day(bakery.id, counter.id, today))?.counts.WAITING;

const silent = createLogger({ level: "silent", pretty: false });

/** Removes what no business names, as the server does. */
const removeAll = (store: Store) => new Housekeeper(store, silent).run();

describe("an import", () => {
  it("writes nothing when a slug already exists", async ({ store }) => {
    const again = { ...clinic, id: id("clinic2") };
    const parts = [importOf(bakery), importOf(again)];
    const outcome = await importBusinesses(store, parts, { replace: false });
    expect(outcome).toEqual({ outcome: "slug_exists", at: 1, written: false });
    await store.imports.begin(again.id);
    const taken = { ...head, ...again };
    expect(await store.imports.commit(taken, { replace: false })).toBe("slug_exists");
    await expect(store.imports.begin(clinic.id)).rejects.toThrow("exists");
    expect(await store.businesses.list()).toEqual([clinic, salon]);
  });

  it("ends before its next write after its signal, and is complete if there is none", async ({
    store,
  }) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const onBusiness = () => stopping.abort(new Error("stopped"));
    const businesses = [bakery, { ...bakery, id: id("baker"), slug: "baker" }].map((one) =>
      importOf(one),
    );
    const stopped = importBusinesses(store, businesses, { replace: false, onBusiness, signal });
    await expect(stopped).rejects.toThrow("stopped");
    expect(await store.businesses.list()).toEqual([clinic, salon, bakery]);
    await expect(
      importBusinesses(store, [importOf({ ...clinic, name: "New" })], { replace: true, signal }),
    ).rejects.toThrow("stopped");
    expect(await store.businesses.list()).toEqual([clinic, salon, bakery]);
  });

  it("does not replace a business after a signal during its first write", async ({ store }) => {
    const stopping = new AbortController();
    const begin = async (businessId: string) => {
      await store.imports.begin(businessId);
      stopping.abort(new Error("stopped"));
    };
    const during = { ...store, imports: { ...store.imports, begin } };
    const again = importOf({ ...clinic, id: id("again") });
    await expect(
      importBusinesses(during, [again], { replace: true, signal: stopping.signal }),
    ).rejects.toThrow("stopped");
    expect(await store.businesses.list()).toEqual([clinic, salon]);
  });

  it("shows nothing of a business before its commit, and the same batch twice is one batch", async ({
    store,
  }) => {
    await store.imports.begin(bakery.id);
    await addOrder(store, 1);
    for (let time = 0; time < 2; time++) {
      await addOrder(store, 2);
      const tasting = appointmentRecord(appointment("tasting", own));
      await store.imports.add(bakery.id, "appointments", [tasting]);
      const row = { ...auditRow("1", own), id: "1", sumName: null };
      await store.imports.add(bakery.id, "audit", [row]);
    }
    expect(await store.businesses.list()).toEqual([clinic, salon]);
    expect(await store.businesses.find("entry", order(1).id)).toBeNull();
    expect(await store.imports.head(bakery.id)).toBeNull();
    expect(await store.monitoring.linesByDay([today])).toEqual([]);
    expect(await commit(store)).toBe("imported");
    expect(await waiting(store)).toBe(2);
    expect(await store.imports.head(bakery.id)).toEqual(head);
    expect(await auditLog(store, bakery.id)).toEqual([auditRow("1", own)]);
  });

  it("is removed an hour after its last batch if it was never committed, and can begin again", async ({
    store,
    clock,
  }) => {
    await store.imports.begin(bakery.id);
    await addOrder(store, 1);
    clock.advance(hour - 1);
    await removeAll(store);
    await addOrder(store, 2);
    clock.advance(hour - 1);
    expect(await store.maintenance.removeExpired()).toMatchObject({ orphans: 0 });
    clock.advance(1);
    expect(await store.maintenance.removeExpired()).toMatchObject({ orphans: 2 });
    for (const _ of ["while its records are removed", "after it"]) {
      await expect(addOrder(store, 3)).rejects.toThrow(/import again/);
      await expect(commit(store)).rejects.toThrow(/import again/);
      await removeAll(store);
    }
    await store.imports.begin(bakery.id);
    await addOrder(store, 1);
    expect(await commit(store)).toBe("imported");
    expect(await waiting(store)).toBe(1);
  });

  it("goes on after the clock leapt forward and back", async ({ store, clock }) => {
    await store.imports.begin(bakery.id);
    await addOrder(store, 1);
    clock.leap(24 * hour);
    await removeAll(store);
    await addOrder(store, 2);
    clock.leap(-24 * hour);
    await removeAll(store);
    expect(await commit(store)).toBe("imported");
    expect(await waiting(store)).toBe(2);
  });

  it("replaces a business with all its data at once, and does not change other businesses", async ({
    store,
    clock,
  }) => {
    const row = auditRow("1", { at: clock() });
    await audited(store, row).entries.create(clinic.id, token("old", { keyed }));
    await store.entries.create(salon.id, token("kept", { keyed, queueId: chair.id }));
    const ofSalon = { credentials: { keyId: mirror.id, secretHash: mirror.secretHash } };
    await store.admission.admit(attempt());
    await store.admission.admit(attempt(ofSalon));
    for (const businessId of [clinic.id, salon.id]) {
      const one = account(`anna at ${businessId}`, { businessId, passwordHash: "hash" });
      await store.accounts.add(businessId, one);
      await store.sessions.start(businessId, newAccountSession(one, businessId, clock()), "hash");
    }

    const reborn = { ...clinic, id: id("reborn"), name: "Clinic, reborn" };
    const desk = { ...front, businessId: reborn.id, id: id("reborn desk") };
    const part = importOf(reborn, { queues: [desk] });
    const imported = await importBusinesses(store, [part], { replace: true });
    expect(imported).toEqual({ outcome: "imported" });
    expect(await store.businesses.list()).toEqual([salon, reborn]);
    const gone = [
      await store.businesses.find("id", clinic.id),
      await store.businesses.find("entry", id("old")),
      await store.queues.day(clinic.id, front.id, today),
      await store.sessions.get(clinic.id),
    ];
    expect(gone).toEqual([null, null, null, null]);
    expect(await store.accounts.list(clinic.id)).toEqual([]);
    const late = await store.entries.create(clinic.id, token("late"));
    expect(late).toEqual({ outcome: "queue_not_found" });
    expect((await store.admission.admit(attempt())).outcome).toBe("unauthorized");
    const first = await store.entries.create(reborn.id, token("t", { queueId: desk.id, keyed }));
    expect(first).toMatchObject({ outcome: "created", receipt: { entry: { tokenNumber: 1 } } });
    expect((await store.admission.admit(attempt(ofSalon))).window.remaining).toBe(3);
    expect(await store.sessions.get(salon.id)).not.toBeNull();

    clock.advance(2 * hour);
    await removeAll(store);
    expect(await auditLog(store, clinic.id)).toEqual([]);
    expect(await store.entries.get(reborn.id, id("t"))).not.toBeNull();
    expect(await store.entries.get(salon.id, id("kept"))).not.toBeNull();
  });
});
