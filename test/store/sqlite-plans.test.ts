import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Command, Connection, type Query } from "../../server/src/store/sqlite/connection.js";
import { migrate } from "../../server/src/store/sqlite/migrate.js";
import { sqliteStore } from "../../server/src/store/sqlite/sqlite-store.js";
import type { Store } from "../../server/src/store/store.js";
import { temporaryFolder } from "../support/folder.js";
import { testClock } from "./support/adapters.js";
import { clinic, front, id, settle, token } from "./support/records.js";

/** Records every prepared statement. */
class ListeningConnection extends Connection {
  readonly statements: string[] = [];

  override query<Row>(sql: string): Query<Row> {
    this.statements.push(sql);
    return super.query<Row>(sql);
  }

  override command(sql: string): Command {
    this.statements.push(sql);
    return super.command(sql);
  }
}

/** The only statements that can scan a table: they list all rows of a small one. */
const wholeTables = /FROM (businesses ORDER BY position|copy_target)/;

describe("the statements of the sqlite store", () => {
  const folder = temporaryFolder();
  const path = join(folder, "queue.db");
  let db: ListeningConnection;
  let store: Store;
  let explaining: DatabaseSyncInstance;

  beforeAll(async () => {
    db = new ListeningConnection(path);
    db.exec("PRAGMA journal_mode = WAL");
    migrate(db, path);
    store = sqliteStore(db, testClock());
    await settle(store);
    // prepares an update, whose statement depends on what changes
    await store.entries.issue(clinic.id, token("one"));
    await store.entries.move(clinic.id, id("one"), "call", 1);
    await store.queues.change(clinic.id, front.id, { name: "Front" });
    explaining = new DatabaseSync(path, { returnArrays: true });
  });
  afterAll(async () => {
    explaining.close();
    await store.close();
  });

  /** The steps of a query plan, in SQLite's words. */
  function planOf(sql: string): string[] {
    const rows = explaining.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown[][];
    return rows.map((row) => String(row[3]));
  }

  it("all find their rows by an index", () => {
    const tables = (
      explaining.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as string[][]
    ).flat();
    const aliases = ["a", "b", "e", "k", "moved", "o", "q", "r", "s", ...tables];
    const scan = new RegExp(`^SCAN (${aliases.join("|")})\\b`);
    const walking = db.statements
      .filter((sql) => !wholeTables.test(sql))
      .map((sql) => ({ sql, steps: planOf(sql).filter((step) => scan.test(step)) }))
      .filter(({ steps }) => steps.length > 0);
    expect(db.statements.length).toBeGreaterThan(60);
    expect(walking).toEqual([]);
  });

  /**
   * The cursors from which a statement reads columns of the table itself. A plan names no index on a generated
   * column as covering, so this looks at the program that SQLite compiles.
   */
  function tableReadsOf(sql: string): unknown[] {
    const root = explaining
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'")
      .get() as unknown[];
    const program = explaining.prepare(`EXPLAIN ${sql}`).all() as unknown[][];
    const cursors = program.filter(([, op, , page]) => op === "OpenRead" && page === root[0]);
    const opened = new Set(cursors.map(([, , cursor]) => cursor));
    return program.filter(([, op, cursor]) => op === "Column" && opened.has(cursor));
  }

  it("count who waits from an index alone, from the start of the line to a place in it", () => {
    const counting = db.statements.filter((sql) => sql.includes("'knownMinutes'"));
    expect(counting.length).toBeGreaterThan(1);
    for (const sql of counting) {
      expect(planOf(sql)).toContain(
        "SEARCH entries USING INDEX entries_waiting (business_id=? AND queue_id=? AND date=? AND line_order<?)",
      );
    }
    const [first = ""] = counting.filter((sql) => sql.includes("'first'"));
    expect(tableReadsOf(first)).toEqual([]);
  });

  it.each([
    ["pace", "'knownMinutes'", "entries"],
    ["day", "json_group_array(work_minutes)", "entries"],
    ["version of a board", "sum(e.revision)", "e"],
  ])("read the %s from a covering index", (_, part, table) => {
    const [sql = ""] = db.statements.filter((sql) => sql.includes(part));
    expect(planOf(sql)).toContainEqual(
      expect.stringContaining(`SEARCH ${table} USING COVERING INDEX entries_by_status`),
    );
  });

  it.each(["json_group_array(work_minutes)", "min(e.issued_at)"])(
    "read %s of all who wait from an index alone",
    (part) => {
      const [sql = ""] = db.statements.filter((sql) => sql.includes(part));
      expect(planOf(sql).join()).toContain("INDEX entries_waiting");
      expect(tableReadsOf(sql)).toEqual([]);
    },
  );

  it("find the entries of a rare status without a scan of the day", () => {
    const pages = db.statements.filter((sql) => /AND status = \?6 AND token_number > /.test(sql));
    expect(pages.length).toBeGreaterThan(0);
    for (const sql of pages) {
      expect(planOf(sql)).toContain(
        "SEARCH entries USING INDEX entries_by_status (business_id=? AND queue_id=? AND date=? AND status=? AND token_number>?)",
      );
    }
  });

  it("never sort, because the indexes have the order", () => {
    const sorting = db.statements.filter((sql) =>
      planOf(sql).some((step) => step.includes("TEMP B-TREE FOR ORDER BY")),
    );
    expect(sorting).toEqual([]);
  });
});
