import { describe, expect, type OnTestFinishedHandler, test, vi } from "vitest";
import { connect } from "../../server/src/store/mongo/connection.js";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import { ServerClock } from "../../server/src/store/mongo/server-clock.js";
import type { Write } from "../../server/src/store/port.js";
import {
  auditOf,
  clinic as businessId,
  today as date,
  entryOf,
  front as queueId,
  windowsOf,
} from "../adapters/support/records.js";
import { insertion, removal, send, update } from "../adapters/support/writes.js";
import { commandEnvironment, commandPath } from "../support/command.js";
import { mongoDatabase } from "../support/mongo.js";
import { start } from "../support/run.js";
import { Wire } from "./support/wire.js";

/** An adapter that reaches its database through a `Wire`. */
async function onAWire(atEnd: (end: OnTestFinishedHandler) => void) {
  const url = mongoDatabase();
  const wire = await Wire.to(url);
  atEnd(() => wire.cut());
  const commands: Record<string, unknown>[] = [];
  const { adapter } = await openMongo(wire.url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  atEnd(() => adapter.close());
  return { url, wire, adapter, commands };
}

describe("a write whose answer is lost", () => {
  const [one, two] = [entryOf(1), entryOf(2)];
  const before = { ...one, version: 0 };
  const changed = { ...one, calls: 1, version: 1 };
  const row = auditOf("row");

  test.for<[string, string, Write, "done" | "conflict", object[]]>([
    ["insert", "done", insertion("entries", two, row), "done", [before, { ...two, version: 0 }]],
    ["insert", "a conflict", insertion("entries", one, row), "conflict", [before]],
    ["update", "done", update("entries", before, { calls: 1 }, row), "done", [changed]],
    ["update", "a conflict", update("entries", changed, { calls: 2 }, row), "conflict", [before]],
    ["delete", "done", removal("entries", before), "done", []],
  ])("%s: is %s, and made once with its audit row", async (given, { onTestFinished }) => {
    const [command, , write, outcome, stored] = given;
    const { wire, adapter, commands } = await onAWire(onTestFinished);
    await send(adapter, insertion("entries", one));
    commands.length = 0;
    wire.loseNextResponse(`${command} entries`);
    expect(await send(adapter, write)).toBe(outcome);
    expect(wire.lost).toBe(1);
    // The last one asks whether it was made, by a write that waits for a majority: an election may roll back what a read sees.
    expect(commands.at(-1)).toMatchObject({ update: "entries", writeConcern: { w: "majority" } });
    const ofClinic = { where: { businessId }, limit: 9 };
    expect(
      await adapter.list("entries", { ...ofClinic, order: ["date", "sequenceInDay"] }),
    ).toEqual(stored);
    const rows = outcome === "done" && write.audit ? [{ ...row, version: 0 }] : [];
    expect(await adapter.list("audit", { ...ofClinic, order: ["at", "id"] })).toEqual(rows);
  });

  test("is sent again after a conflict, which may be with itself", async ({ onTestFinished }) => {
    const { wire, adapter } = await onAWire(onTestFinished);
    wire.loseNextRequest("insert entries");
    wire.conflictNext("insert entries");
    expect(await send(adapter, insertion("entries", entryOf(1)))).toBe("done");
    expect(await adapter.find("entries", { id: entryOf(1).id })).not.toBeNull();
  });

  test("is recognized after other writes of the same record", async ({ onTestFinished }) => {
    const { wire, adapter } = await onAWire(onTestFinished);
    const id = "w";
    const count = (count: number) => ({ startedAt: 1, count });
    await send(adapter, insertion("windows", windowsOf(id, { requests: count(0) })));
    let others = 0;
    const charge = async (): Promise<void> => {
      for (;;) {
        const before = await adapter.find("windows", { id });
        if (!before) throw new Error("it exists");
        const requests = count(before.requests.count + 1);
        if ((await send(adapter, update("windows", before, { requests }))) === "done") return;
        others++;
      }
    };
    for (let n = 0; n < 5; n++) {
      wire.loseNextResponse("update windows");
      await Promise.all(Array.from({ length: 4 }, charge));
    }
    expect(wire.lost).toBe(5);
    expect(others).toBeGreaterThan(0);
    expect(await adapter.find("windows", { id })).toMatchObject({ requests: { count: 20 } });
  });
});

test("the adapter reads again when an answer is lost, and reports a conflict between writes", async ({
  onTestFinished,
}) => {
  const { wire, adapter } = await onAWire(onTestFinished);
  const record = entryOf(1);
  await send(adapter, insertion("entries", record));
  wire.loseNextResponse("find");
  expect(await adapter.find("entries", { id: record.id })).toMatchObject(record);
  wire.loseNextResponse("aggregate");
  expect(await adapter.last({ businessId, date, queueId })).toMatchObject({
    number: 1,
    sequence: 1,
  });
  expect(wire.lost).toBe(2);
  for (const code of [112, 16_908_292]) {
    wire.conflictNext("insert entries", { code });
    expect(await send(adapter, insertion("entries", entryOf(2)))).toBe("conflict");
  }
  wire.conflictNext("insert entries", { times: 3 });
  await adapter.append("entries", [entryOf(2), entryOf(3)]);
  expect(await adapter.last({ businessId, date, queueId })).toMatchObject({
    number: 3,
  });
});

test("a seed that a signal stops while it writes a business shows that one too", async ({
  onTestFinished,
}) => {
  const wire = await Wire.to(mongoDatabase());
  onTestFinished(() => wire.cut());
  const names = Array.from({ length: 200 }, (_, n) => `clinic${n}`);
  const input = JSON.stringify({ businesses: names.map((slug) => ({ slug, name: slug })) });
  const run = (line: string) => {
    const args = [commandPath, "--json", "--database", wire.url, ...line.split(" ")];
    return start(process.execPath, args, { env: commandEnvironment, input });
  };
  wire.loseNextResponse("insert businesses"); // then it asks whether the business is written
  const seeding = run("seed -");
  await expect.poll(() => wire.lost, { interval: 1 }).toBe(1);
  seeding.child.kill("SIGTERM");
  const { code, stdout, stderr } = await seeding.ended;
  expect({ code, stderr }).toEqual({ code: 1, stderr: "queue-api: stopped by a signal\n" });
  const listed = JSON.parse((await run("business list").ended).stdout) as { slug: string }[];
  expect(Object.keys(JSON.parse(stdout).businesses)).toEqual(listed.map(({ slug }) => slug));
});

test.for(["listCollections", "find businesses", "listIndexes businesses"])(
  "a database that answers nothing from %s on ends a start, whatever the URL sets",
  async (command, { onTestFinished }) => {
    const url = mongoDatabase();
    await (await openMongo(url, {})).adapter.close();
    const wire = await Wire.to(url, { socketTimeoutMS: 0 });
    onTestFinished(() => wire.cut());
    wire.silence(command);
    const wait = globalThis.setTimeout;
    const sooner = vi.spyOn(globalThis, "setTimeout");
    sooner.mockImplementation((end, ms = 0) => wait(end, ms === 15_000 ? 100 : ms));
    onTestFinished(() => sooner.mockRestore());
    await expect(openMongo(wire.url, {})).rejects.toThrow(/cannot be reached \(no response\)/);
  },
);

test("a connection that is closed while it connects again stays closed", async () => {
  const db = await connect(mongoDatabase());
  const { entries } = db.models;
  db.reconnect();
  await db.close();
  await expect(entries.exists({})).rejects.toThrow();
  expect(entries.db.readyState).toBe(0);
});

test("a connection is made again as soon as the database is back", async ({ onTestFinished }) => {
  const wire = await Wire.to(mongoDatabase(), { serverSelectionTimeoutMS: 100 });
  onTestFinished(() => wire.cut());
  const db = await connect(wire.url);
  onTestFinished(() => db.close());
  const { entries } = db.models;
  await wire.cut();
  db.reconnect();
  db.reconnect();
  const becomes = (state: number) =>
    vi.waitUntil(() => entries.db.readyState === state, { interval: 1, timeout: 30_000 });
  await becomes(2);
  await becomes(0);
  await expect(entries.exists({})).rejects.toThrow();
  await wire.restore();
  await expect.poll(() => entries.exists({})).toBeNull();
});

test.each([
  ["is set by a fast answer, and wrong by half of its way at most", [0, 400], 0, -200],
  ["is not moved by slow answers", [10, 10, 15_000, 0, 0, 15_000], 2, 0],
  [
    "is never ahead if every answer is slow, and behind by the fastest way back",
    [0, 9_000, 900, 3_000, 9_000, 600, 0, 5_000, 0, 9_000],
    0,
    -600,
  ],
])("the clock of a database server %s", async (_, trips, readings, expected) => {
  let elapsed = 0;
  const times = [...trips]; // how long each question takes to the server, and its answer back
  const readServer = async () => {
    const [there = 0, back = 0] = times.splice(0, 2);
    const time = elapsed + there + 1_000_000;
    elapsed += there + back;
    return time;
  };
  const clock = new ServerClock(readServer, () => elapsed);
  await clock.start();
  for (let n = 0; n < readings; n++) await clock.read();
  expect(clock.now() - elapsed - 1_000_000).toBe(expected);
});
