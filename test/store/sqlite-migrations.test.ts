import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import { migrate } from "../../server/src/store/sqlite/migrate.js";
import { temporaryFolder } from "../support/folder.js";

const first = { schema: "CREATE TABLE people (name TEXT)", migrations: [] };
const third = {
  schema: "CREATE TABLE people (name TEXT, age INTEGER, email TEXT)",
  migrations: [
    "ALTER TABLE people ADD COLUMN age INTEGER",
    "ALTER TABLE people ADD COLUMN email TEXT",
  ],
};

describe("the migrations of a SQLite database", () => {
  let folder: string;
  let path: string;
  let db: Connection;
  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, "queue.db");
    db = new Connection(path);
  });
  afterEach(() => db.close());

  const version = () => db.value("PRAGMA user_version");
  const columns = () => db.value("SELECT group_concat(name) FROM pragma_table_info('people')");

  it("create the newest schema in a new database", () => {
    migrate(db, path, third);
    expect(version()).toBe(3);
    expect(columns()).toBe("name,age,email");
  });

  it("apply every step since an older version, once, and keep the data", () => {
    migrate(db, path, first);
    db.exec("INSERT INTO people VALUES ('Anna')");
    migrate(db, path, third);
    migrate(db, path, third);
    expect(version()).toBe(3);
    expect(columns()).toBe("name,age,email");
    expect(db.value("SELECT name FROM people WHERE age IS NULL")).toBe("Anna");
  });

  it("change nothing if a step fails", () => {
    migrate(db, path, first);
    const broken = { ...third, migrations: [...third.migrations, "not SQL"] };
    expect(() => migrate(db, path, broken)).toThrow("syntax error");
    expect(version()).toBe(1);
    expect(columns()).toBe("name");
  });
});
