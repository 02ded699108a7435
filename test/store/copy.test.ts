import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import { everyPage } from "../../server/src/operations/every-page.js";
import type { Store } from "../../server/src/operations/store.js";
import { copyStore, StoreCopyError } from "../../server/src/owner/copy-store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { newAccountSession } from "../../server/src/rules/account-session.js";
import { temporaryDatabase } from "../support/database.js";
import { interposed } from "../support/interposed.js";
import { emptyMongoDatabase } from "../support/mongo.js";
import { noRandom, openedStore, start } from "./support/adapters.js";
import { audited } from "./support/audit.js";
import {
  account,
  appointment,
  attempt,
  auditRow,
  back,
  clinic,
  entry,
  id,
  importOf,
  invited,
  kiosk,
  salon,
  settle,
  token,
} from "./support/records.js";

const keyed = { key: "key-0001", fingerprint: "body" };
const bakery = { ...clinic, id: id("bakery"), slug: "bakery" };
const bert = account("bert", { businessId: salon.id });

/** A store with data of every kind, some of it created by requests. */
async function lived(store: Store): Promise<void> {
  await settle(store, {
    entries: [
      entry(1, { status: "COMPLETED", startedAt: 1_000, completedAt: 61_000, workMinutes: 15 }),
      entry(2, { status: "CANCELED", canceledAt: 7, customerName: "\u0000 \u{1f600} <nul>" }),
      entry(3, { priority: true }),
      entry(4, { workMinutes: 15, customerName: null, customerPhone: null }),
    ],
    appointments: ["visit1", "visit2", "removed"].map((name) => appointment(name)),
    keys: [kiosk, { ...kiosk, id: id("old"), revokedAt: 5, allowIps: ["10.0.0.0/8"] }],
  });
  await store.accounts.add(clinic.id, invited(account("anna"), start + 1));
  await store.accounts.add(salon.id, { ...bert, passwordHash: "hash" });
  await store.sessions.start(salon.id, newAccountSession(bert, "session", start), "hash");
  await audited(store, auditRow("1")).entries.create(clinic.id, token("made", { keyed }));
  await audited(store, auditRow("2")).entries.transition(clinic.id, entry(4).id, "cancel", 9);
  await store.entries.transfer(clinic.id, entry(3).id, back.id);
  await store.appointments.change(clinic.id, id("visit2"), { notes: null });
  await store.appointments.remove(clinic.id, id("removed"));
  await store.admission.admit(attempt());
  await store.audit.append([auditRow("3"), auditRow("4", { businessId: salon.id })]);
  const sum = { count: 7, lastAt: start + 40_000 };
  await store.audit.append([auditRow("5", { status: 429, sum })]);
}

/** Everything of the businesses of a store. */
async function everythingOf(store: Store): Promise<unknown> {
  const businesses = (await store.businesses.list()).map(async (business) => {
    const parts: unknown[] = [await store.imports.head(business.id)];
    for (const kind of ["entries", "appointments", "audit"] as const) {
      const read = (after: string | null) => store.imports.read(business.id, kind, after);
      for await (const part of everyPage(read)) parts.push(part);
    }
    return parts;
  });
  return Promise.all(businesses);
}

const memory = async () => "memory:";
const sqlite = temporaryDatabase;
const mongo = emptyMongoDatabase;
const onMongo = process.env.TEST_STORE === "mongo";

/** A store that has lived, and an empty one, in memory unless other databases are given. */
async function twoStores(from: () => Promise<string> = memory, to = memory) {
  const [{ store: source }, { store: target }] = [
    await openedStore(await from()),
    await openedStore(await to()),
  ];
  onTestFinished(async () => {
    await source.close();
    await target.close();
  });
  await lived(source);
  return { source, target };
}

describe("copying a store", () => {
  it.each(
    onMongo
      ? [
          ["SQLite to MongoDB", sqlite, mongo],
          ["MongoDB to memory", mongo, memory],
        ]
      : [
          ["memory to SQLite", memory, sqlite],
          ["SQLite to memory", sqlite, memory],
        ],
  )("from %s copies everything but sessions, and the copy goes on", async (_, from, to) => {
    const { source, target } = await twoStores(from, to);
    expect(await copyStore(source, target)).toEqual({
      businesses: 2,
      services: 4,
      queues: 3,
      keys: 3,
      accounts: 2,
      entries: 5,
      appointments: 2,
      audit: 5,
    });
    expect(await everythingOf(target)).toEqual(await everythingOf(source));
    expect(await source.sessions.get("session")).not.toBeNull();
    expect(await target.sessions.get("session")).toBeNull(); // owners sign in again
    for (const request of [token("retry", { keyed }), token("next")]) {
      const expected = await source.entries.create(clinic.id, request);
      expect(await target.entries.create(clinic.id, request)).toEqual(expected);
    }
  });

  it("starts again after an interruption, and copies nothing twice", async () => {
    const { source, target } = await twoStores();
    for (const step of ["copying", "verifying"]) {
      for (const kind of ["entries", "appointments", "audit"]) {
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
  });

  it.each<[string, (source: Store, target: Store) => Promise<unknown>]>([
    [
      "that has other data",
      (_, to) => importBusinesses(to, [importOf(bakery)], { replace: false }),
    ],
    ["that has a completed copy", copyStore],
  ])("refuses a database %s", async (_, fill) => {
    const { source, target } = await twoStores();
    await fill(source, target);
    const before = await everythingOf(target);
    await expect(copyStore(source, target)).rejects.toThrow(StoreCopyError);
    expect(await everythingOf(target)).toEqual(before);
  });

  it.each<[string, (source: Store, target: Store) => Promise<unknown>]>([
    ["audit", (_, target) => target.audit.append([auditRow("6")])],
    ["entries", (source) => source.entries.create(clinic.id, token("late"))],
    ["keys", (source) => source.keys.change(clinic.id, kiosk.id, { revokedAt: 5 })],
    ["businesses", (source) => importBusinesses(source, [importOf(bakery)], { replace: false })],
  ])(
    "reports %s that were written meanwhile, and does not complete the copy",
    async (kind, write) => {
      const { source, target } = await twoStores();
      let writing: Promise<unknown> | undefined;
      const onProgress = (step: string, reached: string) => {
        if (step === "copying" && reached === "audit") writing ??= write(source, target);
      };
      const copying = copyStore(source, target, { onProgress });
      await expect(copying).rejects.toThrow(`${kind} are not the same`);
      await writing;
      expect(await target.imports.isCopying()).toBe(true);
    },
  );

  it.each(["begin", "add", "commit"] as const)(
    "says what to do when another copy has written a business before it does: %s",
    async (step) => {
      const { source, target } = await twoStores();
      const late = interposed(target, ({ imports }) => ({
        imports: {
          async [step](...given: never[]) {
            if ((await target.businesses.list()).length === 0) await copyStore(source, target);
            return (imports[step] as (...given: never[]) => unknown)(...given) as Promise<never>;
          },
        },
      }));
      await expect(copyStore(source, late)).rejects.toThrow(/^Another copy .* start this one/);
      expect(await everythingOf(target)).toEqual(await everythingOf(source));
    },
  );

  it("marks its target, which no other program opens until the copy has ended", async () => {
    const url = await (onMongo ? mongo : sqlite)();
    const target = await openStore(url, { random: noRandom, forCopy: true });
    await target.imports.markCopying(true);
    await target.close();
    await expect(openStore(url, { random: noRandom })).rejects.toThrow(
      /target of an unfinished copy/,
    );
    const again = await openStore(url, { random: noRandom, forCopy: true });
    await again.imports.markCopying(false);
    await again.close();
    await (await openStore(url, { random: noRandom })).close();
  });
});
