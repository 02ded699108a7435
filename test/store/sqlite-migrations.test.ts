import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/src/store/open.js";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import { migrate } from "../../server/src/store/sqlite/migrate.js";
import { migrations } from "../../server/src/store/sqlite/migrations/all.js";
import { testClock } from "./support/adapters.js";
import { clinic } from "./support/records.js";

/** SHA-256 of each released migration without line breaks. A released migration never changes. */
const released = [
  "f8abd2ebe0468e45",
  "4b54b941a5949378",
  "91aef5ae96c52c70",
  "17a571dd6aad3b31",
  "db90b6ebde1bfd04",
  "8abaaaa6ae8cc27e",
  "5b2b7683f06c986a",
  "338987123a6e33b3",
  "80626ac2b787fd73",
  "a49c588444d8cc02",
  "efbae9f829d50938",
  "0bca7d1cc693381c",
  "5d2465d5a9e39a60",
];

describe("the migrations of a SQLite database", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "queue-api-migrations-"));
    path = join(folder, "queue.db");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A database as an earlier version of the service left it. */
  function databaseOf(version: number): Connection {
    const db = new Connection(path);
    for (const step of migrations.slice(0, version)) db.exec(step);
    if (version > 0) db.exec(`PRAGMA application_id = ${0x51415049}`);
    db.exec(`PRAGMA user_version = ${version}`);
    return db;
  }

  it("are identical to the released ones", () => {
    const sums = migrations.map((sql) => createHash("sha256").update(tidied(sql)).digest("hex"));
    expect(sums.slice(0, released.length).map((sum) => sum.slice(0, 16))).toEqual(released);
  });

  it.each(migrations.map((_, version) => version))(
    "migrate version %i to the schema of a new database",
    (version) => {
      const old = databaseOf(version);
      migrate(old, path);
      const fresh = new Connection(join(folder, "fresh.db"));
      migrate(fresh, "fresh.db");
      expect(schemaOf(old)).toEqual(schemaOf(fresh));
      expect(old.value("PRAGMA user_version")).toBe(migrations.length);
      old.close();
      fresh.close();
    },
  );

  it("keep the stored results of an earlier version for replays", async () => {
    const body = '{"data":{"id":"e1","token":"A1"}}';
    const clock = testClock();
    const kept = clock() + 3_600_000;
    const db = databaseOf(5);
    db.exec(`
      INSERT INTO idempotency (business_id, key, fingerprint, claim_id, owner, lease_until, kept_until,
        answer_status, answer_body, answer_location)
      VALUES
        ('${clinic.id}', 'of-the-api', 'same', 'c1', 'o1', 0, ${kept}, 201, '${body}', 'http://q/v1/entries/e1'),
        ('${clinic.id}', 'form:walk-in', 'same', 'c2', 'o2', 0, ${kept}, 201, 'A2', ''),
        ('${clinic.id}', 'under-way', 'same', 'c3', 'o3', 0, ${kept}, NULL, NULL, NULL)`);
    db.close();
    const store = await openStore(`file:${path}`, { clock, random: randomBytes });
    const claim = (key: string) =>
      store.idempotency.claim(clinic.id, { key, fingerprint: "same", owner: "again" });
    expect(await claim("of-the-api")).toEqual({ outcome: "replay", receipt: body });
    const walkIn = { outcome: "replay", receipt: '{"data":{"token":"A2"}}' };
    expect(await claim("form:walk-in")).toEqual(walkIn);
    expect(await claim("under-way")).toMatchObject({ outcome: "claimed", takenOver: true });
    await store.close();
  });
});

/** SQL without layout. */
function tidied(sql: string): string {
  return sql
    .replace(/\s+/g, " ")
    .replace(/\s*([(),;])\s*/g, "$1")
    .trim();
}

function schemaOf(db: Connection): string[] {
  const schema = db.query<[string, string | null][]>(
    "SELECT json_group_array(json_array(name, sql)) FROM (SELECT * FROM sqlite_schema ORDER BY name)",
  );
  return (schema() ?? []).map(([name, sql]) => `${name}: ${tidied(sql ?? "")}`);
}
