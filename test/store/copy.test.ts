import { describe, expect, it } from "vitest";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import { copyStore, StoreCopyError } from "../../server/src/store/copy.js";
import type { Store } from "../../server/src/store/store.js";
import { type Adapter, type OpenedStore, pairs, start } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
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
  kiosk,
  linkOf,
  owner,
  salon,
  settle,
  today,
  token,
} from "./support/records.js";

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
  await store.accounts.add(clinic.id, anna, linkOf(anna, tomorrow, "link of anna"));
  await store.accounts.add(salon.id, bert, linkOf(bert, tomorrow, "link of bert"));
  await store.accounts.setPassword("link of bert", "$scrypt$ln=1$a$b");
  const request = { key: "key-0001", fingerprint: "body", owner: "owner1" };
  const claimed = await store.idempotency.claim(clinic.id, request);
  if (claimed.outcome !== "claimed") throw new Error("the key was not free");
  const { claim } = claimed;
  await store.entries.issue(clinic.id, token("made", { claim, audit: auditRow("1") }));
  await store.idempotency.claim(clinic.id, { ...request, key: "key-0002", owner: "owner2" });
  await store.entries.move(clinic.id, entry(4).id, "cancel", 9, { audit: auditRow("2") });
  const toBack = { id: id("moved"), queueId: back.id, dailyTokenLimit: null };
  await store.entries.transfer(clinic.id, entry(3).id, toBack, 9);
  await store.audit.append([auditRow("3"), auditRow("4", { businessId: salon.id })]);
  const sum = { count: 7, lastAt: start + 40_000 };
  await store.audit.append([auditRow("5", { status: 429, sum })]);
}

/** All reads whose results must be equal on a store and its copy. */
async function everythingOf(store: Store): Promise<unknown> {
  const all = { limit: 100, after: null };
  const retry = { key: "key-0001", fingerprint: "body", owner: "owner3" };
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
    replay: await store.idempotency.claim(clinic.id, retry),
    running: await store.idempotency.claim(clinic.id, { ...retry, key: "key-0002" }),
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
        ...{ owners: 2, entries: 6, appointments: 2, idempotency: 2, audit: 5 },
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
      const bert = await source.accounts.byEmail("bert@clinic.example");
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
      for (const kind of ["keys", "owners", "entries", "audit"] as const) {
        const onProgress = (_: string, reached: string) => reached === kind && stop();
        await expect(copyStore(source, target, { onProgress })).rejects.toThrow("stopped");
      }
      await copyStore(source, target);
      expect(await everythingOf(target)).toEqual(await everythingOf(source));
    });
  });

  it("refuses a database that has other data", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      const bakery = { ...clinic, id: id("bakery"), slug: "bakery" };
      await target.businesses.import([importOf(bakery)], { replace: false });
      await expect(copyStore(source, target)).rejects.toThrow(StoreCopyError);
      expect(await target.businesses.list()).toEqual([bakery]);
    });
  });

  it("reports a copy that differs", async () => {
    await between(from, to, async ({ store: source }, { store: target }) => {
      await lived(source);
      await copyStore(source, target);
      await target.audit.append([auditRow("6")]);
      await expect(copyStore(source, target)).rejects.toThrow(/of audit, 5 became 6/);
      await expect(copyStore(source, target)).rejects.toThrow(StoreCopyError);
    });
  });
});
