import { join } from "node:path";
import { expect, test } from "vitest";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import { temporaryFolder } from "../support/folder.js";

const newPath = () => join(temporaryFolder(), "queue.db");

/** SQLite can lose committed writes in WAL mode before 3.51.3: https://sqlite.org/releaselog/3_51_3.html */
test("SQLite has the fix of the WAL reset", () => {
  const db = new Connection(newPath());
  const [major = 0, minor = 0, patch = 0] = String(db.value("SELECT sqlite_version()"))
    .split(".")
    .map(Number);
  expect(major * 1_000_000 + minor * 1_000 + patch).toBeGreaterThanOrEqual(3_051_003);
  db.close();
});

test("a connection that is used after it was closed throws, and the process goes on", () => {
  const db = new Connection(newPath());
  db.exec("CREATE TABLE t (x TEXT); BEGIN");
  const insert = db.command("INSERT INTO t VALUES (?)");
  const count = db.query("SELECT json_array(count(*)) FROM t");
  db.close();
  expect(() => insert("late")).toThrow("closed");
  expect(() => count()).toThrow("closed");
  expect(() => db.exec("COMMIT")).toThrow("not open");
  expect(() => db.value("SELECT 1")).toThrow("not open");
  expect(db.inTransaction).toBe(false);
});

test("a value that is no text or number ends no process", () => {
  const db = new Connection(newPath());
  const echo = db.query("SELECT json_array(?)") as (value: unknown) => unknown;
  for (const value of [undefined, ["x"]]) {
    expect(() => echo(value)).toThrow("cannot be bound");
  }
  expect(echo(true)).toEqual([1]);
  expect(echo("x")).toEqual(["x"]);
  db.close();
});
