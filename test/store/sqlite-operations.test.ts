import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../server/src/operations/store.js";
import { sqliteAdapter } from "../../server/src/store/sqlite/adapter.js";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import { DatabaseFile } from "../../server/src/store/sqlite/database-file.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { Writer } from "../../server/src/store/sqlite/writer.js";
import { temporaryFolder } from "../support/folder.js";
import { storeOnAdapter } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import {
  account,
  appointment,
  attempt,
  auditRow,
  clinic,
  entry,
  failedAttempt,
  front,
  id,
  kiosk,
  settle,
  token,
} from "./support/records.js";

const ali = account("ali", { passwordHash: "hash" });

/** Notes for each commit that wrote something whether it waits for the disk. It can make the next one fail. */
class WatchedConnection extends Connection {
  readonly waits: boolean[] = [];
  failsNext = false;
  #changesBefore = 0;

  override exec(sql: string): void {
    if (sql === "COMMIT" && this.#changes() > this.#changesBefore) {
      this.waits.push(this.value("SELECT synchronous FROM pragma_synchronous") === 2);
      if (this.failsNext) throw new Error("the disk is broken");
    }
    super.exec(sql);
    if (sql === "BEGIN IMMEDIATE") this.#changesBefore = this.#changes();
  }

  #changes(): number {
    return Number(this.value("SELECT total_changes()"));
  }
}

describe("an operation on SQLite", () => {
  let db: WatchedConnection;
  let store: Store;

  beforeEach(async () => {
    const path = join(temporaryFolder(), "queue.db");
    await (await openSqlite(path, { create: true })).close();
    db = new WatchedConnection(path, 20);
    const writer = new Writer(new DatabaseFile(path), db);
    ({ store } = storeOnAdapter(sqliteAdapter(new Connection(path, 0), writer)));
    const [entries, appointments] = [[entry(1)], [appointment("visit")]];
    await settle(store, { entries, appointments });
    await store.accounts.add(clinic.id, ali);
  });
  afterEach(() => store.close());

  const times = { createdAt: 0, expiresAt: 9e15 };
  const session = { tokenHash: "t", businessId: clinic.id, accountId: ali.id, ...times };
  const visit = { id: id("visit token"), queueId: front.id, date: entry(1).date, issuedAt: 0 };
  const added = appointment("other", { serviceId: null });

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["a creation", ({ entries }) => entries.create(clinic.id, token("new"))],
    ["a cancellation", ({ entries }) => entries.transition(clinic.id, entry(1).id, "cancel", 1)],
    ["a call", ({ entries }) => entries.callNext(clinic.id, front.id, entry(1).date, 1)],
    ["a check-in", ({ appointments }) => appointments.checkIn(clinic.id, id("visit"), visit)],
    ["an appointment", ({ appointments }) => appointments.add(clinic.id, added)],
    ["a setting", ({ businesses }) => businesses.change(clinic.id, { apiAccess: false })],
    ["a change of a queue", ({ queues }) => queues.change(clinic.id, front.id, { name: "New" })],
    ["a revocation", ({ keys }) => keys.change(clinic.id, kiosk.id, { revokedAt: 1 })],
    ["an end of all sessions", ({ sessions }) => sessions.endAll(clinic.id, ali.id)],
    ["a session", ({ sessions }) => sessions.start(clinic.id, session, "hash")],
    ["a mark of a copy", ({ imports }) => imports.markCopying(true)],
  ])("waits for the disk: %s", async (_, run) => {
    await store.admission.admit(attempt());
    db.waits.length = 0;
    await run(store);
    expect(new Set(db.waits)).toEqual(new Set([true]));
  });

  const signIn = { subject: "203.0.113.7", email: ali.email, browser: null };
  const sum = { count: 2, lastAt: 1 };

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["an admission", ({ admission }) => admission.admit(attempt())],
    ["a failed admission", ({ admission }) => admission.admit(failedAttempt())],
    ["a sign-in", ({ signIns }) => signIns.admit(signIn)],
    ["a row of a read", ({ audit }) => audit.append([auditRow("1")])],
    ["a sum of refused requests", ({ audit }) => audit.append([auditRow("1", { sum })])],
  ])("does not wait for the disk: %s", async (_, run) => {
    await store.queues.change(clinic.id, front.id, { name: "New" });
    db.waits.length = 0;
    await run(store);
    expect(new Set(db.waits)).toEqual(new Set([false]));
  });

  it("shares its commit with the creations of its queue that wait with it", async () => {
    await store.entries.create(clinic.id, token("first")); // notes the use of the queue
    db.waits.length = 0;
    const names = Array.from({ length: 20 }, (_, n) => `new${n}`);
    const created = await Promise.all(
      names.map((name) => store.entries.create(clinic.id, token(name))),
    );
    const numbers = created.map(
      (one) => one.outcome === "created" && one.receipt.entry.tokenNumber,
    );
    expect(numbers).toEqual(names.map((_, n) => n + 3));
    expect(db.waits).toHaveLength(1);
  });

  it("leaves the audit row to the next change of its request if its commit fails", async () => {
    const pending = { row: auditRow("1"), isStored: false };
    const { queues } = store.audited(pending);
    db.failsNext = true;
    const failed = queues.change(clinic.id, front.id, { name: "New" });
    await expect(failed).rejects.toThrow("the disk is broken");
    expect(pending.isStored).toBe(false);
    db.failsNext = false;
    await queues.change(clinic.id, front.id, { name: "New" });
    expect(pending.isStored).toBe(true);
    expect(await auditLog(store, clinic.id)).toHaveLength(1);
  });
});
