import { describe, expect, it } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import { everyPage } from "../../server/src/operations/every-page.js";
import type { Store } from "../../server/src/operations/store.js";
import { copyStore, StoreCopyError } from "../../server/src/owner/copy-store.js";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { newAccountSession } from "../../server/src/rules/account-session.js";
import { temporaryDatabase } from "../support/database.js";
import { interposed } from "../support/interposed.js";
import { emptyMongoDatabase } from "../support/mongo.js";
import { type Adapter, memory, noRandom, onMongo, pairs, start } from "./support/adapters.js";
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

/** Copies between two stores, on memory unless other adapters are given. The first one has lived. */
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

describe("copying a store", () => {
  it.each(pairs)("from $name copies everything, and the copy goes on", async ({ from, to }) => {
    const body = async (source: Store, target: Store) => {
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
      for (const request of [token("retry", { keyed }), token("next")]) {
        const expected = await source.entries.create(clinic.id, request);
        expect(await target.entries.create(clinic.id, request)).toEqual(expected);
      }
    };
    await between(body, from, to);
  });

  it("copies no sessions, so owners sign in again", () =>
    between(async (source, target) => {
      const session = newAccountSession(bert, "session", start);
      await source.sessions.start(salon.id, session, "hash");
      await copyStore(source, target);
      expect(await source.sessions.get("session")).not.toBeNull();
      expect(await target.sessions.get("session")).toBeNull();
    }));

  it("starts again after an interruption, and copies nothing twice", () =>
    between(async (source, target) => {
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
    }));

  it("refuses a database that has other data, and the target of a completed copy", () =>
    between(async (source, target) => {
      await importBusinesses(target, [importOf(bakery)], { replace: false });
      await expect(copyStore(source, target)).rejects.toThrow(StoreCopyError);
      expect(await target.businesses.list()).toEqual([bakery]);
      const { store: empty, dispose } = await memory.open();
      await copyStore(source, empty);
      const before = await everythingOf(empty);
      await expect(copyStore(source, empty)).rejects.toThrow(StoreCopyError);
      expect(await everythingOf(empty)).toEqual(before);
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

  it.each<[string, (source: Store) => Promise<unknown>]>([
    ["entries", (source) => source.entries.create(clinic.id, token("late"))],
    ["keys", (source) => source.keys.change(clinic.id, kiosk.id, { revokedAt: 5 })],
    ["businesses", (source) => importBusinesses(source, [importOf(bakery)], { replace: false })],
  ])("reports %s that were written to the source meanwhile", (kind, write) =>
    between(async (source, target) => {
      let writing: Promise<unknown> | undefined;
      const onProgress = (step: string, reached: string) => {
        if (step === "copying" && reached === "audit") writing ??= write(source);
      };
      const copying = copyStore(source, target, { onProgress });
      await expect(copying).rejects.toThrow(`${kind} are not the same`);
      await writing;
      expect(await target.imports.isCopying()).toBe(true);
    }),
  );

  it.each(["begin", "add", "commit"] as const)(
    "says what to do when another copy has written a business before it does: %s",
    (step) =>
      between(async (source, target) => {
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
      }),
  );

  it("marks its target, which no other program opens until the copy has ended", async () => {
    const url = await (onMongo ? emptyMongoDatabase() : temporaryDatabase());
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
