import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Command, Connection, type Query } from "../../server/src/store/sqlite/connection.js";
import { migrate } from "../../server/src/store/sqlite/migrate.js";
import { sqliteStore } from "../../server/src/store/sqlite/sqlite-store.js";
import type { Store } from "../../server/src/store/store.js";
import { testClock } from "./support/adapters.js";

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

/** The only statement that can scan a table: it lists all rows. */
const wholeTable = "FROM businesses ORDER BY position";

describe("the statements of the sqlite store", () => {
  const folder = mkdtempSync(join(tmpdir(), "queue-api-plans-"));
  const path = join(folder, "queue.db");
  let db: ListeningConnection;
  let store: Store;
  let explaining: Database.Database;

  beforeAll(() => {
    db = new ListeningConnection(path);
    migrate(db, path);
    store = sqliteStore(db, testClock());
    explaining = new Database(path);
  });
  afterAll(async () => {
    explaining.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** The steps of a query plan, in SQLite's words. */
  function planOf(sql: string): string[] {
    const rows = explaining.prepare(`EXPLAIN QUERY PLAN ${sql}`).raw().all() as unknown[][];
    return rows.map((row) => String(row[3]));
  }

  it("all find their rows by an index", () => {
    const tables = (
      explaining
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .raw()
        .all() as string[][]
    ).flat();
    const aliases = ["a", "b", "e", "k", "l", "o", "q", "s", "w", ...tables];
    const scan = new RegExp(`^SCAN (${aliases.join("|")})\\b`);
    const walking = db.statements
      .filter((sql) => !sql.includes(wholeTable))
      .map((sql) => ({ sql, steps: planOf(sql).filter((step) => scan.test(step)) }))
      .filter(({ steps }) => steps.length > 0);
    expect(db.statements.length).toBeGreaterThan(40);
    expect(walking).toEqual([]);
  });

  it("find the entries of a rare status without a scan of the day", () => {
    const pages = db.statements.filter((sql) => /AND status = \? AND token_number > \?/.test(sql));
    expect(pages.map((sql) => planOf(sql)[1])).toEqual([
      "SEARCH entries USING INDEX entries_by_status (line_id=? AND status=? AND token_number>?)",
    ]);
  });

  it("never sort, because the indexes have the order", () => {
    const sorting = db.statements.filter((sql) =>
      planOf(sql).some((step) => step.includes("TEMP B-TREE FOR ORDER BY")),
    );
    expect(sorting).toEqual([]);
  });
});
