import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listing } from "../../server/src/store/port.js";
import { purging, sweeping } from "../../server/src/store/sqlite/commands.js";
import { type Command, Connection } from "../../server/src/store/sqlite/connection.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { SqliteReads, selection } from "../../server/src/store/sqlite/reads.js";
import { itemTables, tables } from "../../server/src/store/sqlite/schema.js";
import type { SqlValue } from "../../server/src/store/sqlite/table.js";
import { type Index, indexes, primaryKeys, type TableName } from "../../server/src/store/tables.js";
import { temporaryFolder } from "../support/folder.js";

/** Records the queries. */
class ListeningConnection extends Connection {
  readonly asked: string[] = [];

  override all(command: Command): SqlValue[][] {
    this.asked.push(command.sql);
    return super.all(command);
  }
}

type Case = readonly [name: string, table: TableName, listing: Omit<Listing, "limit">];

/** Every index with conditions on its first fields and the order of all others. */
const ofIndexes: readonly Case[] = Object.entries(indexes).flatMap(([table, some]) =>
  Object.entries<Index>(some).flatMap(([name, { fields, some: isPart = false }]) => {
    const items = Object.keys(itemTables[table as TableName] ?? {});
    return fields.flatMap((_, at): Case[] => {
      const [first, order] = [fields.slice(0, at + 1), fields.slice(at + 1)];
      // the items of a list are found, and order nothing
      if (order.some((field) => items.includes(field))) return [];
      // an index of some records only is used if the condition leaves out the others
      if (isPart && order.length > 0) return [];
      const where = Object.fromEntries(first.map((field) => [field, "a"]));
      return [
        [
          `${table} by the index ${name}, ${at + 1} of its fields`,
          table as TableName,
          { where, order },
        ],
      ];
    });
  }),
);

const day = { businessId: "b", date: "2026-11-21" };
const line = { ...day, queueId: "q" };

/** What operations list, which is not all of an index. */
const ofOperations: readonly Case[] = [
  ["all businesses", "businesses", { where: {}, order: ["added"], after: ["a"] }],
  ["businesses by their ids", "businesses", { where: { id: ["a", "b"] } }],
  ["a queue of a day", "entries", { where: line, order: ["tokenNumber"], after: [5] }],
  [
    "a status of a queue",
    "entries",
    { where: { ...line, status: "WAITING" }, order: ["tokenNumber"], after: [5] },
  ],
  [
    "statuses of a queue",
    "entries",
    { where: { ...line, status: ["A", "B", "C"] }, order: ["tokenNumber"], after: [5] },
  ],
  ["who is served", "entries", { where: { ...day, queueId: ["q", "r"], status: "IN_SERVICE" } }],
  ["entries by their ids", "entries", { where: { id: ["a", "b"] } }],
  ["entries by appointments", "entries", { where: { businessId: "b", appointmentId: ["a", "b"] } }],
  ["the last changes", "entries", { where: day, order: ["changedAt"], descending: true }],
  [
    "some days",
    "entries",
    {
      where: { businessId: "b" },
      order: ["date", "placeInDay"],
      from: "a",
      to: "b",
      after: ["a", 1],
    },
  ],
  [
    "appointments",
    "appointments",
    { where: { ...day, isRemoved: false }, order: ["slotTime", "id"], after: ["a", "b"] },
  ],
  [
    "appointments of days",
    "appointments",
    {
      where: { businessId: "b", isRemoved: false },
      order: ["date", "slotTime", "id"],
      after: ["a", "b", "c"],
    },
  ],
  ["windows", "windows", { where: { id: ["a", "b"] } }],
  [
    "the log",
    "audit",
    {
      where: { businessId: "b" },
      order: ["at", "id"],
      descending: true,
      after: [1, "a"],
      from: 1,
      to: 5,
    },
  ],
  ["imports", "imports", { where: { id: "a" } }],
];

describe("the statements of the sqlite adapter", () => {
  const path = join(temporaryFolder(), "queue.db");
  let db: ListeningConnection;
  let explaining: DatabaseSyncInstance;

  beforeAll(async () => {
    await (await openSqlite(path, { create: true, threads: false })).close();
    db = new ListeningConnection(path, 0);
    explaining = new DatabaseSync(path);
  });
  afterAll(() => {
    db.close();
    explaining.close();
  });

  /** The steps of a query plan, in SQLite's words. */
  function planOf(sql: string): string[] {
    const rows = explaining.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    return rows.map(({ detail }) => detail);
  }

  const isScan = (step: string) => /^SCAN (?!json_each\b|CONSTANT ROW$)/.test(step);
  const isSort = (step: string) => step.includes("TEMP B-TREE");

  it.each([...ofIndexes, ...ofOperations])(
    "list %s by an index, and sort nothing",
    (_, table, listing) => {
      const plan = planOf(selection(table, { ...listing, limit: 9 }).sql);
      const isAll = Object.keys(listing.where).length === 0;
      expect(plan.filter((step) => (isScan(step) && !isAll) || isSort(step))).toEqual([]);
      const searched = plan.filter((step) => step.startsWith("SEARCH"));
      expect(isAll || searched.length > 0).toBe(true);
    },
  );

  it.each([
    ["count", (reads: SqliteReads) => reads.count(line)],
    ["count", (reads: SqliteReads) => reads.count(day)],
    ["count", (reads: SqliteReads) => reads.count(line, 5)],
    ["line", (reads: SqliteReads) => reads.line(line)],
    ["line", (reads: SqliteReads) => reads.line(day)],
    ["line", (reads: SqliteReads) => reads.line(line, 1)],
    ["line", (reads: SqliteReads) => reads.waiting(["2026-11-21", "2026-11-22"])],
  ] as const)("read entries_%s alone, and sort nothing", async (index, read) => {
    await read(new SqliteReads(db));
    const plan = planOf(db.asked.at(-1) ?? "");
    expect(plan.filter((step) => isScan(step) || isSort(step))).toEqual([]);
    expect(
      plan.some((step) => step.includes(`SEARCH entries USING COVERING INDEX entries_${index} `)),
    ).toBe(true);
  });

  it("find the last number, place and change by one look each", async () => {
    await new SqliteReads(db).last(line);
    const plan = planOf(db.asked.at(-1) ?? "");
    expect(plan.filter((step) => step.startsWith("SEARCH"))).toEqual([
      "SEARCH entry_tokens USING PRIMARY KEY (business_id=? AND date=? AND token>? AND token<?)",
      "SEARCH entries USING COVERING INDEX entries_place (business_id=? AND date=?)",
      "SEARCH entries USING COVERING INDEX entries_change (business_id=? AND date=?)",
    ]);
    expect(plan.filter(isScan)).toEqual([]);
  });

  it("remove records by an index", () => {
    const tasks = [
      ...(["entries", "appointments", "sessions", "audit"] as const).map((table) =>
        sweeping(table, "b", 9),
      ),
      purging({ table: "entries", field: "keyed.keptUntil", clear: "keyed", below: 5, limit: 9 }),
      purging({ table: "sessions", field: "endsAt", below: 5, limit: 9 }),
      purging({ table: "windows", field: "endsAt", below: 5, limit: 9 }),
      purging({ table: "audit", field: "at", below: 5, limit: 9 }),
    ];
    for (const { sql } of tasks.flatMap(({ commands }) => commands)) {
      expect(planOf(sql).filter((step) => isScan(step) || isSort(step))).toEqual([]);
    }
  });

  it("have a column for each field of a record, and no other", () => {
    for (const [table, { columns }] of Object.entries(tables)) {
      const rows = explaining.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
      expect((rows as { name: string }[]).map(({ name }) => name)).toEqual(columns);
    }
  });

  it("find a record by its primary key", () => {
    for (const [table, key] of Object.entries(primaryKeys)) {
      const plan = planOf(selection(table as TableName, { where: { [key]: "a" }, limit: 1 }).sql);
      expect(plan).toEqual([
        expect.stringMatching(new RegExp(`^SEARCH t USING .*\\(${key}=\\?\\)$`)),
      ]);
    }
  });
});
