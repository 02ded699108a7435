import { expect, test } from "vitest";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import type { Key, Value } from "../../server/src/store/port.js";
import { type Index, indexes, type TableName, type Tables } from "../../server/src/store/tables.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { appointment, auditRow, business, date, entry } from "./support/adapter-records.js";
import { explained, scans } from "./support/explained.js";

type Command = Readonly<Record<string, unknown>>;

/** Returns reads with the same filters as a command, for `explain`; none if the command has no filter. */
function asReads(command: Command): Record<string, unknown>[] {
  const [name = ""] = Object.keys(command);
  const collection = command[name];
  const filters = (list: unknown) =>
    (list as { q: unknown }[]).map(({ q }) => ({ find: collection, filter: q }));
  if (name === "find") {
    const { filter, sort, limit } = command;
    return [{ find: collection, filter, ...(sort !== undefined && { sort, limit }) }];
  }
  if (name === "update") return filters(command.updates);
  if (name === "delete") return filters(command.deletes);
  if (name !== "aggregate") return [];
  return [{ aggregate: collection, pipeline: command.pipeline, cursor: {} }];
}

/** Returns a read without its values. Reads that differ only in their values are the same query. */
function shape(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(shape);
  if (typeof read !== "object" || read === null) return typeof read;
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, shape(value)]));
}

test("every query of the adapter uses an index", async ({ onTestFinished }) => {
  const { url, remove } = mongoDatabase();
  onTestFinished(remove);
  const commands: Command[] = [];
  const { adapter } = await openMongo(url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  onTestFinished(() => adapter.close());

  const people = Array.from({ length: 1_500 }, (_, n) =>
    entry(`b${n % 5}`, n + 1, { status: n % 3 === 0 ? "WAITING" : "CANCELED" }),
  );
  await adapter.append("entries", people);
  const visits = Array.from({ length: 1_500 }, (_, n) => appointment(`b${n % 5}`));
  await adapter.append("appointments", visits);
  const rows = Array.from({ length: 1_500 }, (_, n) => auditRow(`b${n % 5}`, n));
  await adapter.append("audit", rows);
  const insert = (table: TableName, record: Tables[TableName]) =>
    adapter.send({ kind: "insert", table, record, audit: null } as never);
  for (let n = 0; n < 100; n++) {
    const window = { startedAt: 1, count: 1 };
    await insert("businesses", business());
    await insert("windows", { id: `w${n}`, requests: window, writes: null, endsAt: 1e15 + n });
    await insert("sessions", { id: `s${n}`, businessId: `b${n}`, sessions: [], endsAt: 1e15 + n });
  }

  commands.length = 0;
  await findByEveryIndex();
  await listAndCount();
  await change();
  await keepUp();

  async function findByEveryIndex() {
    for (const [table, ofTable] of Object.entries(indexes)) {
      for (const { fields } of Object.values<Index>(ofTable)) {
        const values = fields.map((field): [string, Value] => [field, sampleOf(field)]);
        const key: Key = Object.fromEntries(values);
        await adapter.find(table as TableName, key);
        const order = fields.at(-1) ?? "";
        const { [order]: _, ...where } = key;
        if (order.includes(".") || Object.keys(where).length === 0) continue;
        await adapter.list(table as TableName, { where, order: [order], limit: 5 });
      }
    }
  }

  function sampleOf(field: string): Value {
    if (field === "isRemoved") return true;
    if (field === "date") return date;
    return /tokenNumber|placeInDay|changedAt|endsAt|keptUntil|^at$/.test(field) ? 7 : "b1";
  }

  async function listAndCount() {
    const day = { businessId: "b1", date };
    const inQueue = { ...day, queueId: "front" };
    const status = ["WAITING", "IN_SERVICE"];
    const after = { order: ["tokenNumber"], after: [7], limit: 5 };
    await adapter.list("entries", { where: { ...inQueue, status }, ...after });
    const ofDay = { where: { ...day, isRemoved: false }, order: ["slotTime", "id"], limit: 5 };
    await adapter.list("appointments", { ...ofDay, after: ["09:00", "x"] });
    const log = { where: { businessId: "b1" }, order: ["at", "id"], limit: 5 };
    await adapter.list("audit", { ...log, descending: true, after: [900, "x"], from: 5, to: 999 });
    await adapter.list("audit", log);
    for (const asked of [day, inQueue]) {
      await adapter.count(asked);
      await adapter.count(asked, 5);
      await adapter.line(asked);
      await adapter.line(asked, 1);
    }
    await adapter.last(inQueue);
    await adapter.waiting([date, "2026-11-25"]);
  }

  async function change() {
    const [person] = people;
    if (!person) throw new Error("there are people");
    const update = { kind: "update", table: "entries", record: { ...person, calls: 1 } } as const;
    await adapter.send({ ...update, before: { ...person, version: 0 }, audit: auditRow("b0", 1) });
    const before = { ...person, version: 9 };
    await adapter.send({ kind: "remove", table: "entries", before, audit: null });
  }

  async function keepUp() {
    const purge = { below: 3, limit: 5 };
    await adapter.purge({ table: "audit", field: "at", ...purge });
    await adapter.purge({ table: "windows", field: "endsAt", ...purge });
    await adapter.purge({ table: "sessions", field: "endsAt", ...purge });
    await adapter.purge({ table: "entries", field: "keyed.keptUntil", clear: "keyed", ...purge });
    for (const table of ["entries", "appointments", "sessions", "audit"] as const) {
      await adapter.sweep(table, "b2", 5);
    }
    await adapter.tidy();
    await adapter.ping();
  }

  const asked = new Map(
    commands.flatMap((command) =>
      asReads(command).map((read) => [JSON.stringify(shape(read)), read]),
    ),
  );
  expect(asked.size).toBeGreaterThan(50);
  await withDatabase(url, async (db) => {
    const scansFor = async (read: object) => scans(await explained(db, read));
    expect(await scansFor({ find: "entries", filter: { customerName: "nobody" } })).toBe(true);
    const scanning: unknown[] = [];
    for (const read of asked.values()) if (await scansFor(read)) scanning.push(read);
    expect(scanning).toEqual([]);
  });
});

test("a day is counted by its index alone, as far as the server says it", async ({
  onTestFinished,
}) => {
  const { url, remove } = mongoDatabase();
  onTestFinished(remove);
  const commands: Command[] = [];
  const { adapter } = await openMongo(url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  onTestFinished(() => adapter.close());
  const people = Array.from({ length: 600 }, (_, n) => entry(`b${n % 3}`, n + 1));
  await adapter.append("entries", people);
  commands.length = 0;
  await adapter.count({ businessId: "b1", date, queueId: "front" }, 9);
  await adapter.line({ businessId: "b1", date, queueId: "front" });
  await adapter.line({ businessId: "b1", date, queueId: "front" }, 1);
  for (const command of commands) {
    const [name = ""] = Object.keys(command);
    const { filter, projection, sort, limit, pipeline } = command;
    const read =
      name === "find"
        ? { find: "entries", filter, projection, sort, ...(limit !== undefined && { limit }) }
        : { aggregate: "entries", pipeline, cursor: {} };
    const answer = await withDatabase(url, (db) => explained(db, read));
    const plan = JSON.stringify(answer, (name, part) => (name === "rejectedPlans" ? null : part));
    expect(plan).toMatch(/"(queue|status|line)"/);
    expect(plan).not.toContain('"FETCH"'); // what a mongod says when it reads documents
  }
});
