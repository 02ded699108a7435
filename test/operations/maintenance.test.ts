import { describe, expect } from "vitest";
import type { Store } from "../../server/src/operations/store.js";
import { newAccountSession } from "../../server/src/rules/account-session.js";
import { auditLog } from "../store/support/audit.js";
import { account, auditRow, clinic, failedAttempt, token } from "../store/support/records.js";
import { it, settledStore } from "../store/support/store.js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const keyed = { key: "key-0001", fingerprint: "body" };
const nothing = { auditRows: 0, idempotencyKeys: 0, windows: 0, sessions: 0, orphans: 0 };
const anna = account("anna", { passwordHash: "hash" });

type Making = (store: Store, now: number) => Promise<unknown>;

const createWithKey: Making = ({ entries }) => entries.create(clinic.id, token("t", { keyed }));
const failToSignIn: Making = ({ admission }) => admission.admit(failedAttempt());
const signIn: Making = ({ signIns }) =>
  signIns.admit({ subject: "203.0.113.7", email: anna.email, browser: null });
const startSession: Making = async ({ accounts, sessions }, now) => {
  await accounts.add(clinic.id, anna);
  await sessions.start(clinic.id, newAccountSession(anna, "session", now), "hash");
};

describe("pruning", () => {
  it.each<[string, Making, number, object]>([
    ["audit rows", ({ audit }) => audit.append([auditRow("1")]), 90 * day + 1, { auditRows: 1 }],
    ["idempotency keys", createWithKey, day, { idempotencyKeys: 1 }],
    ["windows of failed sign-ins", failToSignIn, 10 * minute, { windows: 1 }],
    ["windows of sign-ins to the dashboard", signIn, 10 * minute, { windows: 2 }],
    ["sessions", startSession, 12 * hour, { sessions: 1 }],
  ])("removes %s when they have expired, and not before", async (_, make, after, removed) => {
    const { store, clock } = await settledStore();
    await make(store, clock());
    clock.advance(after - 1);
    expect(await store.maintenance.removeExpired()).toEqual(nothing);
    clock.advance(1);
    expect(await store.maintenance.removeExpired()).toEqual({ ...nothing, ...removed });
    expect(await store.maintenance.removeExpired()).toEqual(nothing);
  });

  it("keeps the entry of a key, and the sessions of an account until the last one expires", async ({
    store,
    clock,
  }) => {
    await store.entries.create(clinic.id, token("t", { keyed }));
    await startSession(store, clock());
    clock.advance(hour);
    await store.sessions.start(clinic.id, newAccountSession(anna, "second", clock()), "hash");
    clock.advance(11 * hour);
    expect(await store.sessions.get("session")).toBeNull();
    expect(await store.maintenance.removeExpired()).toMatchObject({ sessions: 0 });
    expect(await store.sessions.get("second")).not.toBeNull();
    clock.advance(day);
    const removed = await store.maintenance.removeExpired();
    expect(removed).toMatchObject({ sessions: 1, idempotencyKeys: 1 });
    expect(await store.entries.get(clinic.id, token("t").id)).not.toBeNull();
  });

  it("removes nothing for ten minutes after the process has started", async ({ store, clock }) => {
    await store.audit.append([auditRow("1", { at: clock() - 91 * day })]);
    await store.admission.admit(failedAttempt());
    clock.advance(10 * minute - 1);
    expect(await store.maintenance.removeExpired()).toEqual(nothing);
    clock.advance(1);
    const removed = await store.maintenance.removeExpired();
    expect(removed).toEqual({ ...nothing, auditRows: 1, windows: 1 });
  });

  it("removes a bounded number per step, and everything in the end", async ({ store, clock }) => {
    await store.audit.append(Array.from({ length: 5_000 }, (_, n) => auditRow(`${n}`)));
    clock.advance(91 * day);
    const removed = [];
    for (let n = 0; n < 4; n++) removed.push((await store.maintenance.removeExpired()).auditRows);
    expect(removed).toEqual([2_000, 2_000, 1_000, 0]);
  });
});

it("with a clock that leaps a year ahead for a minute, nothing is removed and a key still replays", async ({
  store,
  clock,
}) => {
  await store.entries.create(clinic.id, token("t", { keyed }));
  await store.audit.append([auditRow("1", { at: clock() })]);
  await startSession(store, clock());
  const removesNothing = async () =>
    expect(await store.maintenance.removeExpired()).toEqual(nothing);
  const replay = async () =>
    (await store.entries.create(clinic.id, token("again", { keyed }))).outcome;
  await removesNothing();
  clock.leap(365 * day);
  await removesNothing();
  expect(await replay()).toBe("replay");
  clock.advance(minute);
  await removesNothing();
  clock.leap(-365 * day);
  await removesNothing();
  expect(await replay()).toBe("replay");
  expect(await auditLog(store, clinic.id)).toHaveLength(1);
  expect((await store.sessions.get("session"))?.account.id).toBe(anna.id);
});
