import { describe, expect, it } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import type { Store } from "../../server/src/operations/store.js";
import { copyStore, StoreCopyError } from "../../server/src/owner/copy-store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import { temporaryDatabase } from "../support/database.js";
import { emptyMongoDatabase } from "../support/mongo.js";
import {
  type Adapter,
  noRandom,
  type OpenedStore,
  onMongo,
  pairs,
  start,
} from "./support/adapters.js";
import { audited, auditLog } from "./support/audit.js";
import {
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
  owner,
  salon,
  settle,
  today,
  token,
} from "./support/records.js";

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
  const [anna, bert] = [owner("anna"), owner("bert", { businessId: salon.id })];
  const tomorrow = (await store.now()) + 86_400_000;
  await store.accounts.add(clinic.id, invited(anna, tomorrow, "link of anna"));
  await store.accounts.add(salon.id, invited(bert, tomorrow, "link of bert"));
  const proof = { linkTokenHash: "link of bert" };
  await store.accounts.setPassword(salon.id, bert.id, "$scrypt$ln=1$a$b", proof);
  await audited(store, auditRow("1")).entries.issue(clinic.id, token("made", { keyed }));
  await audited(store, auditRow("2")).entries.move(clinic.id, entry(4).id, "cancel", 9);
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

async function between(
  from: Adapter,
  to: Adapter,
  body: (from: OpenedStore, to: OpenedStore) => Promise<void>,
): Promise<void> {
  const source = await from.open();
  try {
    const target = await to.open();
    try {
      await body(source, target);
    } finally {
      await target.dispose();
    }
  } finally {
    await source.dispose();
  }
}

describe.each(pairs)("copying from $name", ({ from, to }) => {
  it("copies everything, and the copy behaves like the original", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      const report = await copyStore(source, target);
      expect(report).toEqual({
        ...{ businesses: 2, services: 4, queues: 3, keys: 3 },
        ...{ accounts: 2, entries: 5, appointments: 2, audit: 5 },
      });
      expect(await everythingOf(target)).toEqual(await everythingOf(source));

      const next = await target.entries.issue(clinic.id, token("next"));
      expect(next).toEqual(await source.entries.issue(clinic.id, token("next")));
      const late = await target.keys.add(clinic.id, { ...kiosk, id: id("late") });
      expect(late).toBe("added");
    });
  });

  it("copies no sessions, so owners sign in again", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      const [bert] = await source.accounts.byEmail("bert@clinic.example");
      if (!bert?.passwordHash) throw new Error("Bert set a password");
      const session = newOwnerSession(bert, "session", await source.now());
      await source.sessions.start(salon.id, session, bert.passwordHash);
      await copyStore(source, target);
      expect(await source.sessions.get("session")).not.toBeNull();
      expect(await target.sessions.get("session")).toBeNull();
      expect(await target.sessions.start(salon.id, session, bert.passwordHash)).toBe(true);
    });
  });

  it("starts again after an interruption, and copies nothing twice", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      const stop = () => {
        throw new Error("stopped");
      };
      for (const kind of ["entries", "appointments", "audit"] as const) {
        for (const step of ["copying", "verifying"]) {
          const onProgress = (now: string, reached: string) =>
            now === step && reached === kind && stop();
          await expect(copyStore(source, target, { onProgress })).rejects.toThrow("stopped");
          expect(await target.imports.isCopying()).toBe(true);
        }
      }
      await copyStore(source, target);
      expect(await target.imports.isCopying()).toBe(false);
      expect(await everythingOf(target)).toEqual(await everythingOf(source));
    });
  });

  it("refuses a database that has other data", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      const bakery = { ...clinic, id: id("bakery"), slug: "bakery" };
      await importBusinesses(target, [importOf(bakery)], { replace: false });
      await expect(copyStore(source, target)).rejects.toThrow(StoreCopyError);
      expect(await target.businesses.list()).toEqual([bakery]);
    });
  });

  it("refuses the target of a completed copy, which may be in use", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      await copyStore(source, target);
      await target.keys.change(clinic.id, kiosk.id, { revokedAt: 7 });
      await expect(copyStore(source, target)).rejects.toThrow(StoreCopyError);
      expect((await target.keys.list(clinic.id)).find(({ id }) => id === kiosk.id)).toMatchObject({
        revokedAt: 7,
      });
    });
  });

  it("reports a copy that differs, and does not complete it", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      const onProgress = (step: string, kind: string) => {
        if (step === "verifying" && kind === "entries") throw new Error("stopped");
      };
      await expect(copyStore(source, target, { onProgress })).rejects.toThrow("stopped");
      await target.audit.append([auditRow("6")]);
      await expect(copyStore(source, target)).rejects.toThrow(/audit are not the same/);
      expect(await target.imports.isCopying()).toBe(true);
    });
  });
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
