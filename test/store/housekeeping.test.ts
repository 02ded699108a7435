import { describe, expect, it } from "vitest";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import { adapters } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import {
  attempt,
  auditRow,
  clinic,
  failedAttempt,
  invited,
  owner,
  token,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

const day = 86_400_000;
const hour = 3_600_000;
const keyed = { key: "key-0001", fingerprint: "body" };
const nothing = { auditRows: 0, idempotencyKeys: 0, windows: 0, sessions: 0, unnamed: 0 };

describe.each(adapters)("maintenance of the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("answers a ping with its time", async () => {
    const { store, clock } = opened();
    expect(await store.now()).toBe(clock());
    await expect(store.ping()).resolves.toBeUndefined();
  });

  it("removes nothing that has not expired", async () => {
    const { store, clock } = opened();
    await store.audit.append([auditRow("1", { at: clock() - 90 * day })]);
    await store.admission.admit(attempt({ write: true }));
    await store.admission.admit(failedAttempt());
    await store.entries.issue(clinic.id, token("t", { keyed }));
    clock.advance(599_999);
    await store.audit.append([auditRow("2", { at: clock() - 90 * day })]);
    expect(await store.maintenance.prune()).toEqual(nothing); // the process has just started
    clock.advance(1);
    expect(await store.maintenance.prune()).toEqual({ ...nothing, auditRows: 2, windows: 1 });
  });

  it("removes audit rows after 90 days", async () => {
    const { store, clock } = opened();
    await store.audit.append([auditRow("1"), auditRow("2", { at: clock() + 1 })]);
    clock.advance(90 * day + 1);
    expect(await store.maintenance.prune()).toEqual({ ...nothing, auditRows: 1 });
    expect(await auditLog(store, clinic.id, 10)).toEqual([
      auditRow("2", { at: clock() - 90 * day }),
    ]);
  });

  it("removes idempotency keys 24 hours after their result, and keeps the entry", async () => {
    const { store, clock } = opened();
    const asked = token("t", { keyed });
    await store.entries.issue(clinic.id, asked);
    clock.advance(day - 1);
    expect(await store.maintenance.prune()).toEqual(nothing);
    clock.advance(1);
    expect(await store.maintenance.prune()).toEqual({ ...nothing, idempotencyKeys: 1 });
    expect(await store.entries.get(clinic.id, asked.id)).not.toBeNull();
  });

  it("removes windows of failed sign-ins that have ended", async () => {
    const { store, clock } = opened();
    await store.admission.admit(failedAttempt());
    clock.advance(599_999);
    expect(await store.maintenance.prune()).toEqual(nothing);
    clock.advance(1);
    expect(await store.maintenance.prune()).toEqual({ ...nothing, windows: 1 });
  });

  it("removes the sessions of an account when the last one has expired", async () => {
    const { store, clock } = opened();
    const bert = owner("bert", { passwordHash: "hash" });
    const later = invited(bert, clock() + 14 * hour);
    await store.accounts.add(clinic.id, later);
    await store.sessions.start(clinic.id, newOwnerSession(bert, "first", clock()), "hash");
    clock.advance(hour - 1);
    await store.sessions.start(clinic.id, newOwnerSession(bert, "second", clock()), "hash");
    clock.advance(1 + 11 * hour);
    expect(await store.sessions.get("first")).toBeNull();
    expect(await store.maintenance.prune()).toEqual(nothing);
    expect((await store.sessions.get("second"))?.owner).toEqual(later);
    clock.advance(hour - 1);
    expect(await store.maintenance.prune()).toEqual({ ...nothing, sessions: 1 });
    expect(await store.sessions.get("second")).toBeNull();
  });

  it("removes windows of sign-ins to the dashboard that have ended", async () => {
    const { store, clock } = opened();
    await store.signIns.admit({
      subject: "203.0.113.7",
      email: "a@clinic.example",
      browser: null,
    });
    clock.advance(599_999);
    expect(await store.maintenance.prune()).toEqual(nothing);
    clock.advance(1);
    expect(await store.maintenance.prune()).toEqual({ ...nothing, windows: 2 });
  });

  describe("with a clock that leaps a year ahead for a minute", () => {
    const year = 365 * day;

    it("removes nothing, and works as before when the clock is right again", async () => {
      const { store, clock } = opened();
      await store.entries.issue(clinic.id, token("t", { keyed }));
      await store.audit.append([auditRow("1", { at: clock() })]);
      const anna = owner("anna", { passwordHash: "hash" });
      await store.accounts.add(clinic.id, invited(anna, clock() + hour));
      await store.sessions.start(clinic.id, newOwnerSession(anna, "session", clock()), "hash");
      expect(await store.maintenance.prune()).toEqual(nothing);

      clock.leap(year);
      expect(await store.maintenance.prune()).toEqual(nothing);
      clock.advance(60_000);
      expect(await store.maintenance.prune()).toEqual(nothing);
      clock.leap(-year);
      expect(await store.maintenance.prune()).toEqual(nothing);
      expect(await auditLog(store, clinic.id, 10)).toHaveLength(1);
      expect((await store.sessions.get("session"))?.owner.id).toBe(anna.id);
      const again = await store.entries.issue(clinic.id, token("again", { keyed }));
      expect(again.outcome).toBe("replay");
    });

    it("replays a key during the leap, so that a retry creates no second entry", async () => {
      const { store, clock } = opened();
      await store.entries.issue(clinic.id, token("t", { keyed }));
      await store.maintenance.prune();
      clock.leap(year);
      await store.maintenance.prune();
      const again = await store.entries.issue(clinic.id, token("again", { keyed }));
      expect(again.outcome).toBe("replay");
      const other = token("other", { keyed: { ...keyed, fingerprint: "another body" } });
      expect(await store.entries.issue(clinic.id, other)).toEqual({ outcome: "reused" });
    });

    it("removes expired records when the clock has kept its new time for an hour", async () => {
      const { store, clock } = opened();
      await store.audit.append([auditRow("1", { at: clock() })]);
      await store.maintenance.prune();
      clock.leap(year);
      expect(await store.maintenance.prune()).toEqual(nothing);
      clock.advance(hour);
      expect(await store.maintenance.prune()).toEqual({ ...nothing, auditRows: 1 });
    });
  });

  it("removes a bounded number per step, and everything in the end", async () => {
    const { store, clock } = opened();
    const rows = Array.from({ length: 5_000 }, (_, n) => auditRow(`${n}`));
    await store.audit.append(rows);
    clock.advance(91 * day);
    const removed = [];
    for (
      let report = await store.maintenance.prune();
      report.auditRows > 0;
      report = await store.maintenance.prune()
    ) {
      removed.push(report.auditRows);
    }
    expect(removed.length).toBeGreaterThan(1);
    expect(removed.reduce((sum, rows) => sum + rows, 0)).toBe(rows.length);
  });

  it("finishes pending operations before it closes", async () => {
    const other = await adapter.open();
    const asked = [other.store.audit.append([auditRow("1")]), other.store.now()];
    await other.dispose();
    await expect(Promise.all(asked)).resolves.toBeDefined();
  });
});
