import { expect, it } from "vitest";
import { Connection, type Query } from "../../server/src/store/sqlite/connection.js";
import { migrate } from "../../server/src/store/sqlite/migrate.js";
import { sqliteStore } from "../../server/src/store/sqlite/sqlite-store.js";
import { temporaryDatabase } from "../support/database.js";
import { testClock } from "./support/adapters.js";
import { attempt, kiosk, settle } from "./support/records.js";

/** Records which queries ran, and whether each found a row. */
class ObservedConnection extends Connection {
  readonly found: [sql: string, found: boolean][] = [];

  override query<Row>(sql: string): Query<Row> {
    const query = super.query<Row>(sql);
    return (...values) => {
      const row = query(...values);
      this.found.push([sql, row !== null]);
      return row;
    };
  }
}

it("runs the same queries for a wrong secret, an unknown key and a missing key", async ({
  onTestFinished,
}) => {
  const database = await temporaryDatabase();
  const path = database.url.slice("file:".length);
  const db = new ObservedConnection(path);
  migrate(db, path);
  const store = sqliteStore(db, testClock());
  onTestFinished(async () => {
    await store.close();
    await database.remove();
  });
  await settle(store);

  const wrongSecret = { keyId: kiosk.id, secretHash: "0".repeat(64) };
  const unknownKey = { keyId: "u".repeat(24), secretHash: kiosk.secretHash };
  const ways = [];
  for (const [n, credentials] of [wrongSecret, unknownKey, null].entries()) {
    db.found.length = 0;
    const { outcome } = await store.admission.admit(
      attempt({ credentials, subject: `subject ${n}` }),
    );
    expect(outcome).toBe("unauthorized");
    ways.push([...db.found]);
  }
  expect(ways[0]?.length).toBeGreaterThan(0);
  expect(ways[1]).toEqual(ways[0]);
  expect(ways[2]).toEqual(ways[0]);
});
