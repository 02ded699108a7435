import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importBusinesses } from "../../server/src/owner/import-business.js";
import { Connection, type Query } from "../../server/src/store/sqlite/connection.js";
import { migrate } from "../../server/src/store/sqlite/migrate.js";
import { sqliteStore } from "../../server/src/store/sqlite/sqlite-store.js";
import type { Store } from "../../server/src/store/store.js";
import { temporaryFolder } from "../support/folder.js";
import { testClock } from "./support/adapters.js";
import {
  attempt,
  clinic,
  entry,
  front,
  id,
  importOf,
  settle,
  today,
  token,
} from "./support/records.js";

/** Records the transactions and queries, and can make the next transaction fail at its start or its end. */
class WatchedConnection extends Connection {
  readonly seen: string[] = [];
  readonly queries: string[] = [];
  failNext: "BEGIN IMMEDIATE" | "COMMIT" | null = null;

  override exec(sql: string): void {
    this.seen.push(sql);
    if (sql === this.failNext) {
      this.failNext = null;
      throw new Error("the disk is full");
    }
    super.exec(sql);
  }

  override query<Row>(sql: string): Query<Row> {
    const query = super.query<Row>(sql);
    return (...values) => {
      this.queries.push(sql);
      return query(...values);
    };
  }
}

describe("the batches of the sqlite store", () => {
  let folder: string;
  let db: WatchedConnection;
  let store: Store;

  beforeEach(async () => {
    folder = temporaryFolder();
    const path = join(folder, "queue.db");
    db = new WatchedConnection(path);
    db.value("PRAGMA journal_mode = WAL");
    migrate(db, path);
    store = sqliteStore(db, testClock());
    await settle(store);
    db.seen.length = 0;
  });
  afterEach(() => store.close());

  const commits = () => db.seen.filter((sql) => sql === "COMMIT").length;
  const synchronous = () => db.value("PRAGMA synchronous");
  const full = 2;
  const normal = 1;

  it("import thousands of entries in short transactions, so that others get the lock in between", async () => {
    const business = { ...clinic, id: id("large"), slug: "large" };
    const of = { businessId: business.id, queueId: id("long") };
    const entries = Array.from({ length: 3_000 }, (_, at) =>
      entry(at + 1, { ...of, id: id(`many${at}`), placeInDay: at + 1 }),
    );
    const queues = [{ ...front, id: of.queueId, businessId: business.id }];
    await importBusinesses(store, [importOf(business, { queues, entries })], { replace: false });
    expect(commits()).toBeGreaterThanOrEqual(3_000 / 500);
  });

  it("commit all steps of one turn of the event loop together", async () => {
    await Promise.all(
      Array.from({ length: 32 }, (_, n) => store.entries.issue(clinic.id, token(`t${n}`))),
    );
    expect(commits()).toBe(1);
  });

  it("count a line once for all creations that wait together", async () => {
    db.queries.length = 0;
    await Promise.all(["a", "b", "c"].map((name) => store.entries.issue(clinic.id, token(name))));
    expect(db.queries.filter((sql) => sql.includes("'knownMinutes'"))).toHaveLength(1);
    const last = await store.entries.get(clinic.id, id("c"));
    expect(last).toMatchObject({ entry: { tokenNumber: 3 }, line: { ahead: { people: 2 } } });
  });

  it("reject only the creation that fails of those that wait together", async () => {
    const outcomes = await Promise.allSettled(
      ["one", "two", "one", "three"].map((name) => store.entries.issue(clinic.id, token(name))),
    );
    const [fulfilled, rejected] = ["fulfilled", "rejected"];
    const expected = [fulfilled, fulfilled, rejected, fulfilled];
    expect(outcomes.map(({ status }) => status)).toEqual(expected);
    expect((await store.entries.get(clinic.id, id("three")))?.entry.tokenNumber).toBe(3);
  });

  it("keep the order of creations and other changes", async () => {
    await Promise.all([
      store.entries.issue(clinic.id, token("before")),
      store.queues.change(clinic.id, front.id, { tokenSeries: "B" }),
      store.entries.issue(clinic.id, token("after")),
    ]);
    const labels = await Promise.all(
      ["before", "after"].map((name) => store.entries.get(clinic.id, id(name))),
    );
    expect(labels.map((found) => found?.entry.tokenSeries)).toEqual([front.tokenSeries, "B"]);
  });

  it("wait for the disk if they have business data, and not if they have only windows", async () => {
    await store.admission.admit(attempt());
    expect(synchronous()).toBe(normal);
    await store.entries.issue(clinic.id, token("alone"));
    expect(synchronous()).toBe(full);
    await store.admission.admit(attempt());
    expect(synchronous()).toBe(normal);
    await Promise.all([
      store.admission.admit(attempt()),
      store.entries.issue(clinic.id, token("beside")),
    ]);
    expect(synchronous()).toBe(full);
  });

  it("reject every step when the commit fails, store nothing, and continue", async () => {
    db.failNext = "COMMIT";
    const outcomes = await Promise.allSettled([
      store.entries.issue(clinic.id, token("one")),
      store.admission.admit(attempt()),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await store.queues.day(clinic.id, front.id, today))?.counts.WAITING).toBe(0);
    expect((await store.admission.admit(attempt())).window.remaining).toBe(4);
    await store.entries.issue(clinic.id, token("two"));
    expect((await store.entries.get(clinic.id, id("two")))?.entry.tokenNumber).toBe(1);
  });

  it("reject every step when the transaction cannot begin, and continue", async () => {
    db.failNext = "BEGIN IMMEDIATE";
    const outcomes = await Promise.allSettled([
      store.admission.admit(attempt()),
      store.admission.admit(attempt()),
      store.entries.issue(clinic.id, token("one")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill("rejected"));
    expect((await store.admission.admit(attempt())).window.remaining).toBe(4);
  });

  it("make a ping fail when they fail, so that a full disk is reported", async () => {
    db.failNext = "COMMIT";
    await expect(store.ping()).rejects.toThrow("the disk is full");
    await store.ping();
  });

  it("run after reads whose snapshot could not be ended, and the next read sees them", async () => {
    db.failNext = "COMMIT";
    expect(await store.entries.get(clinic.id, id("one"))).toBeNull();
    expect(db.failNext).toBeNull();
    expect(await store.entries.get(clinic.id, id("one"))).toBeNull();
    await store.entries.issue(clinic.id, token("one"));
    expect(await store.entries.get(clinic.id, id("one"))).not.toBeNull();
  });

  it("wait for another connection that writes", async () => {
    const other = new Connection(join(folder, "queue.db"));
    other.exec("BEGIN IMMEDIATE");
    const asked = store.entries.issue(clinic.id, token("patient"));
    const admitted = store.admission.admit(attempt());
    expect(await store.entries.get(clinic.id, id("patient"))).toBeNull(); // reads still work
    setImmediate(() => setImmediate(() => other.exec("COMMIT")));
    expect((await asked).outcome).toBe("issued");
    expect((await admitted).outcome).toBe("admitted");
    other.close();
  });
});
