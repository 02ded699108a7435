import { describe, expect, it } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import type { Store } from "../../server/src/operations/store.js";
import { copyStore, StoreCopyError } from "../../server/src/owner/copy-store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { newAccountSession } from "../../server/src/rules/account-session.js";
import { temporaryDatabase } from "../support/database.js";
import { emptyMongoDatabase } from "../support/mongo.js";
import { type Adapter, memory, noRandom, onMongo, pairs, start } from "./support/adapters.js";
import { audited, auditLog } from "./support/audit.js";
import {
  account,
  appointment,
  attempt,
  auditRow,
  back,
  clinic,
  entry,
  front,
  id,
  importOf,
  invited,
  kiosk,
  salon,
  settle,
  today,
  token,
} from "./support/records.js";

const passwordHash = "$scrypt$ln=1$a$b";
const keyed = { key: "key-0001", fingerprint: "body" };

/** A store with data of every kind, some of it created by requests. */
async function lived(store: Store): Promise<void> {
  await settle(store, {
    entries: [
      entry(1, { status: "COMPLETED", startedAt: 1_000, completedAt: 61_000, workMinutes: 15 }),
      entry(2, { status: "CANCELED", canceledAt: 7, customerName: "\u0000 \u{1f600} <nul>" }),
      entry(3, { priority: true }),
      entry(4, { workMinutes: 15, customerName: null, customerPhone: null }),
    ],
    appointments: [appointment("visit1"), appointment("visit2", { notes: null })],
    keys: [kiosk, { ...kiosk, id: id("old"), revokedAt: 5, allowIps: ["10.0.0.0/8"] }],
  });
  const [anna, bert] = [account("anna"), account("bert", { businessId: salon.id })];
  const tomorrow = (await store.now()) + 86_400_000;
  await store.accounts.add(clinic.id, invited(anna, tomorrow, "link of anna"));
  await store.accounts.add(salon.id, invited(bert, tomorrow, "link of bert"));
  const proof = { linkTokenHash: "link of bert" };
  await store.accounts.setPassword(salon.id, bert.id, passwordHash, proof);
  await audited(store, auditRow("1")).entries.issue(clinic.id, token("made", { keyed }));
  await audited(store, auditRow("2")).entries.transition(clinic.id, entry(4).id, "cancel", 9);
  await store.entries.transfer(clinic.id, entry(3).id, back.id);
  await store.audit.append([auditRow("3"), auditRow("4", { businessId: salon.id })]);
  const sum = { count: 7, lastAt: start + 40_000 };
  await store.audit.append([auditRow("5", { status: 429, sum })]);
}

/** All reads whose results must be equal on a store and its copy. */
async function everythingOf(store: Store): Promise<unknown> {
  const all = { limit: 100, after: null };
  return {
    businesses: await store.businesses.list(),
    services: await store.services.list(clinic.id),
    queues: [await store.queues.list(clinic.id), await store.queues.list(salon.id)],
    keys: [await store.keys.list(clinic.id), await store.keys.list(salon.id)],
    owners: [await store.accounts.list(clinic.id), await store.accounts.list(salon.id)],
    link: [
      await store.accounts.byPasswordLink("link of anna"),
      await store.accounts.byPasswordLink(""),
    ],
    entries: await store.entries.page(clinic.id, front.id, today, null, all),
    other: await store.entries.page(clinic.id, back.id, today, null, all),
    day: await store.queues.day(clinic.id, front.id, today),
    appointments: await store.appointments.page(clinic.id, today, all),
    audit: [await auditLog(store, clinic.id, 10), await auditLog(store, salon.id, 10)],
    replay: await store.entries.issue(clinic.id, token("retry", { keyed })),
    admission: await store.admission.admit(attempt()),
  };
}

/** Copies between two stores that have lived, on memory unless other adapters are given. */
async function between(
  body: (source: Store, target: Store) => Promise<void>,
  from: Adapter = memory,
  to: Adapter = memory,
): Promise<void> {
  const [source, target] = [await from.open(), await to.open()];
  try {
    await lived(source.store);
    await body(source.store, target.store);
  } finally {
    await source.dispose();
    await target.dispose();
  }
}

const bakery = { ...clinic, id: id("bakery"), slug: "bakery" };

describe("copying a store", () => {
  it.each(pairs)(
    "from $name copies everything, and the copy behaves like the original",
    async ({ from, to }) => {
      const body = async (source: Store, target: Store) => {
        const report = await copyStore(source, target);
        expect(report).toEqual({
          ...{ businesses: 2, services: 4, queues: 3, keys: 3 },
          ...{ accounts: 2, entries: 5, appointments: 2, audit: 5 },
        });
        expect(await everythingOf(target)).toEqual(await everythingOf(source));
        const next = await target.entries.issue(clinic.id, token("next"));
        expect(next).toEqual(await source.entries.issue(clinic.id, token("next")));
      };
      await between(body, from, to);
    },
  );

  it("copies no sessions, so owners sign in again", () =>
    between(async (source, target) => {
      const bert = account("bert", { businessId: salon.id });
      const session = newAccountSession(bert, "session", start);
      await source.sessions.start(salon.id, session, passwordHash);
      await copyStore(source, target);
      expect(await source.sessions.get("session")).not.toBeNull();
      expect(await target.sessions.get("session")).toBeNull();
      expect(await target.sessions.start(salon.id, session, passwordHash)).toBe(true);
    }));

  it("starts again after an interruption, and copies nothing twice", () =>
    between(async (source, target) => {
      for (const kind of ["entries", "appointments", "audit"]) {
        for (const step of ["copying", "verifying"]) {
          const onProgress = (now: string, reached: string) => {
            if (now === step && reached === kind) throw new Error("stopped");
          };
          await expect(copyStore(source, target, { onProgress })).rejects.toThrow("stopped");
          expect(await target.imports.isCopying()).toBe(true);
        }
      }
      await copyStore(source, target);
      expect(await target.imports.isCopying()).toBe(false);
      expect(await everythingOf(target)).toEqual(await everythingOf(source));
    }));

  it("refuses a database that has other data, and the target of a completed copy", () =>
    between(async (source, target) => {
      await importBusinesses(target, [importOf(bakery)], { replace: false });
      await expect(copyStore(source, target)).rejects.toThrow(StoreCopyError);
      expect(await target.businesses.list()).toEqual([bakery]);
      const { store: empty, dispose } = await memory.open();
      await copyStore(source, empty);
      await empty.keys.change(clinic.id, kiosk.id, { revokedAt: 7 });
      await expect(copyStore(source, empty)).rejects.toThrow(StoreCopyError);
      expect(await empty.keys.list(clinic.id)).toContainEqual(
        expect.objectContaining({ id: kiosk.id, revokedAt: 7 }),
      );
      await dispose();
    }));

  it("reports a copy that differs, and does not complete it", () =>
    between(async (source, target) => {
      const onProgress = (step: string, kind: string) => {
        if (step === "verifying" && kind === "entries") throw new Error("stopped");
      };
      await expect(copyStore(source, target, { onProgress })).rejects.toThrow("stopped");
      await target.audit.append([auditRow("6")]);
      await expect(copyStore(source, target)).rejects.toThrow(/audit are not the same/);
      expect(await target.imports.isCopying()).toBe(true);
    }));
});

describe("the target of a copy that did not end", () => {
  it("is opened by another copy, and by no other program", async () => {
    const { url, remove } = onMongo ? emptyMongoDatabase() : await temporaryDatabase();
    const target = await openStore(url, { random: noRandom, forCopy: true });
    await target.imports.markCopying(true);
    await target.close();
    await expect(openStore(url, { random: noRandom })).rejects.toThrow(/target of a copy/);
    const again = await openStore(url, { random: noRandom, forCopy: true });
    await again.imports.markCopying(true);
    await again.imports.markCopying(false);
    await again.close();
    const opened = await openStore(url, { random: noRandom });
    await opened.close();
    await remove();
  });
});
