import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Adapter } from "../../server/src/store/port.js";
import { sqliteAdapter } from "../../server/src/store/sqlite/adapter.js";
import { type Command, Connection } from "../../server/src/store/sqlite/connection.js";
import { DatabaseFile } from "../../server/src/store/sqlite/database-file.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { Writer } from "../../server/src/store/sqlite/writer.js";
import { temporaryFolder } from "../support/folder.js";
import { sendEveryQuery } from "./support/every-query.js";
import { clinic as businessId, today as date, front as queueId } from "./support/records.js";

const path = join(temporaryFolder(), "queue.db");
const asked = new Set<string>();

/** Records the statements. */
class ListeningConnection extends Connection {
  override all(command: Command) {
    asked.add(command.sql);
    return super.all(command);
  }
  override run(command: Command) {
    asked.add(command.sql);
    return super.run(command);
  }
}

let adapter: Adapter;

beforeAll(async () => {
  await (await openSqlite(path, { create: true })).close();
  const [reads, writes] = [new ListeningConnection(path, 0), new ListeningConnection(path, 0)];
  adapter = sqliteAdapter(reads, new Writer(new DatabaseFile(path), writes));
});
afterAll(() => adapter.close());

/** The steps of a query plan, in SQLite's words. */
function planOf(sql: string): string[] {
  const db = new DatabaseSync(path);
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  db.close();
  return rows.map(({ detail }) => detail);
}

async function plansOf(read: () => Promise<unknown>): Promise<string[]> {
  asked.clear();
  await read();
  return [...asked].flatMap(planOf);
}

const isScan = (step: string) => /^SCAN (?!json_each\b|CONSTANT ROW$)/.test(step);
const isSort = (step: string) => step.includes("TEMP B-TREE");

test("every statement uses an index, and sorts nothing", async () => {
  asked.clear();
  await sendEveryQuery(adapter);
  expect(asked.size).toBeGreaterThan(50);
  const slow = [...asked].filter((sql) => planOf(sql).some((step) => isScan(step) || isSort(step)));
  expect(slow).toEqual([]);
  expect(planOf("SELECT * FROM entries ORDER BY customer_name").map(isScan)).toContain(true);
});

test("who waits and what is counted is read from an index alone", async () => {
  const line = { businessId, date, queueId };
  for (const [index, read] of [
    ["count", () => adapter.count(line)],
    ["count", () => adapter.count({ businessId, date }, { first: 5, last: 7 })],
    ["line", () => adapter.line(line)],
    ["line", () => adapter.waiting([date])],
  ] as const) {
    const covering = `SEARCH entries USING COVERING INDEX entries_${index} `;
    expect(await plansOf(read)).toContainEqual(expect.stringContaining(covering));
  }
  const last = await plansOf(() => adapter.last(line));
  expect(last.filter((step) => step.startsWith("SEARCH"))).toEqual([
    "SEARCH entries_number USING PRIMARY KEY (business_id=? AND date=? AND item>? AND item<?)",
    "SEARCH entries USING COVERING INDEX entries_sequence (business_id=? AND date=?)",
    "SEARCH entries USING COVERING INDEX entries_change (business_id=? AND date=?)",
  ]);
});
