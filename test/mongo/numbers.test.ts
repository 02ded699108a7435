import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { readReceipt } from "../../server/src/rules/entry-answer.js";
import type { DayDoc, LineDoc } from "../../server/src/store/mongo/collections/days.js";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import { reportComment } from "../../server/src/store/mongo/writer.js";
import type { IssueRequest } from "../../server/src/store/port/entries.js";
import type { Store } from "../../server/src/store/store.js";
import { testClock } from "../store/support/adapters.js";
import { clinic, front, importOf, today, token, tomorrow } from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { type Command, nameOf } from "./support/watched.js";
import { Wire } from "./support/wire.js";

const queues = ["one", "two", "three", "four"].map((name) => ({ ...front, id: `${name}Queue` }));
const queueIds = queues.map(({ id }) => id);

/** Opens two instances on one database with a token in each queue. A test can disturb the first one's connection. */
async function twoInstances(
  atEnd: (end: OnTestFinishedHandler) => void,
  settings: Record<string, number> = {},
) {
  const database = mongoDatabase();
  atEnd(database.remove);
  const wire = await Wire.to(database.url, { serverSelectionTimeoutMS: 1_500, ...settings });
  atEnd(() => wire.close());
  const clock = testClock();
  const commands: Command[] = [];
  const open = async (url: string, onCommand?: (command: Command) => void) => {
    const options = { clock, elapsed: clock.elapsed, prepare: "always" } as const;
    const store = await openMongo(url, { ...options, ...(onCommand && { onCommand }) });
    atEnd(() => store.close());
    return store;
  };
  const second = await open(database.url);
  await second.businesses.import([importOf(clinic, { queues })], { replace: false });
  const first = await open(wire.url, (command) => {
    if (command.comment !== reportComment) commands.push(command);
  });
  expect(await issueInEach(second)).toEqual([1, 1, 1, 1]);
  await written(second);
  return { first, second, wire, clock, commands, url: database.url };
}

/** Writes the deferred reports of the store. */
async function written(store: Store): Promise<void> {
  await store.copying.dump("services", null);
}

function storedLines(url: string): Promise<LineDoc[]> {
  return withDatabase(url, async (db) => {
    const days = await db.collection<DayDoc>("days").find().toArray();
    return days.flatMap(({ lines }) => Object.values(lines));
  });
}

let tokens = 0;

/** Returns the token number, or the reason why none was issued. */
async function issueIn(
  store: Store,
  queueId: string,
  changes: Partial<IssueRequest> = {},
): Promise<number | string> {
  const request = token(`t${++tokens}`, { queueId, ...changes });
  const issued = await store.entries.issue(clinic.id, request).catch(() => null);
  if (!issued) return "failed";
  return "receipt" in issued ? readReceipt(issued.receipt).data.tokenNumber : issued.outcome;
}

/** Two instances: a creation of the first one had an unknown result, and its report of that is on the wire. */
async function withHeldReport(
  atEnd: (end: OnTestFinishedHandler) => void,
  changes: Partial<IssueRequest> = {},
) {
  const { first, wire } = await twoInstances(atEnd);
  const [queueId = ""] = queueIds;
  wire.loseNextResponse("findAndModify days");
  const report = wire.holdNext("update days");
  expect(await issueIn(first, queueId, changes)).toBe("failed");
  await report.reached;
  return { first, wire, queueId, report };
}

function issueInEach(store: Store, changes: Partial<IssueRequest> = {}) {
  return Promise.all(queueIds.map((queueId) => issueIn(store, queueId, changes)));
}

/** Returns the token numbers of each queue, and compares its counts with its entries. */
async function lines(store: Store) {
  const all = queueIds.map(async (queueId) => {
    const listed = await store.entries.page(clinic.id, queueId, today, null, {
      limit: 100,
      after: null,
    });
    if (typeof listed === "string") throw new Error(listed);
    const day = await store.queues.day(clinic.id, queueId, today);
    const { length } = listed.items;
    expect(day?.counts.WAITING).toBe(length);
    expect(listed.items.map(({ line }) => line?.ahead.people)).toEqual([...Array(length).keys()]);
    return listed.items.map(({ entry }) => entry.tokenNumber);
  });
  return Promise.all(all);
}

describe("token numbers of several lines in one batch", () => {
  test("take one read and one update", async ({ onTestFinished }) => {
    const { first, commands } = await twoInstances(onTestFinished);
    commands.length = 0;
    expect(await issueInEach(first)).toEqual([2, 2, 2, 2]);
    const ofLines = commands.map(nameOf).filter((name) => / (days|entries)$/.test(name));
    expect(ofLines).toEqual(["find days", "update days", "insert entries"]);
    expect(await lines(first)).toEqual(Array(4).fill([1, 2]));
  });

  test("are assigned separately in a line that another instance has changed meanwhile", async ({
    onTestFinished,
  }) => {
    const { first, second, wire, commands } = await twoInstances(onTestFinished);
    const held = wire.holdNext("update days");
    const issuing = issueInEach(first);
    await held.reached;
    expect(await issueIn(second, queueIds[1] ?? "")).toBe(2);
    commands.length = 0;
    held.release();
    expect(await issuing).toEqual([2, 3, 2, 2]);
    expect(commands.map(nameOf)).toContain("findAndModify days");
    expect(await lines(second)).toEqual([
      [1, 2],
      [1, 2, 3],
      [1, 2],
      [1, 2],
    ]);
  });

  test("stop at the daily limit of the business", async ({ onTestFinished }) => {
    const { first, second } = await twoInstances(onTestFinished);
    const outcomes = await issueInEach(first, { dailyTokenLimit: 6 });
    expect(outcomes.filter((outcome) => outcome === 2)).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === "plan_limit_reached")).toHaveLength(2);
    expect((await lines(second)).flat()).toHaveLength(6);
  });

  test("are recounted when the response to the update is lost", async ({ onTestFinished }) => {
    const { first, second, wire } = await twoInstances(onTestFinished);
    wire.loseNextResponse("update days");
    expect(await issueInEach(first)).toEqual(Array(4).fill("failed"));
    expect(wire.lost).toBe(1);
    expect(await lines(first)).toEqual(Array(4).fill([1]));
    expect(await issueInEach(second)).not.toContain("failed");
    expect((await lines(second)).map(({ length }) => length)).toEqual([2, 2, 2, 2]);
  });

  test("are assigned again when the update never arrives", async ({ onTestFinished }) => {
    const { first, second, wire } = await twoInstances(onTestFinished);
    const held = wire.holdNext("update days");
    const issuing = issueInEach(first);
    await held.reached;
    await wire.cut();
    expect(await issuing).toEqual(Array(4).fill("failed"));
    expect(await issueInEach(second)).toEqual(Array(4).fill(2));
    expect(await lines(second)).toEqual(Array(4).fill([1, 2]));
  });

  test("do not mark a line as doubtful that this instance has changed meanwhile", async ({
    onTestFinished,
  }) => {
    const { first, second, wire, clock, url } = await twoInstances(onTestFinished);
    const held = wire.holdNext("update days");
    const issuing = issueInEach(first);
    await held.reached;
    await first.entries.callNext(clinic.id, queueIds[0] ?? "", today, clock());
    held.release();
    expect(await issuing).toEqual([2, 2, 2, 2]);
    await written(first);
    for (const line of await storedLines(url))
      expect(line).toMatchObject({ doubt: false, epoch: 0 });
    expect((await second.queues.day(clinic.id, queueIds[0] ?? "", today))?.counts).toMatchObject({
      ...{ WAITING: 1, IN_SERVICE: 1 },
    });
  });

  test("leave no change pending when a recount fails", async ({ onTestFinished }) => {
    const { first, wire, url } = await twoInstances(onTestFinished);
    const [queueId = ""] = queueIds;
    wire.loseNextResponse("findAndModify days");
    expect(await issueIn(first, queueId)).toBe("failed");
    const isInDoubt = async () => (await storedLines(url)).some(({ doubt }) => doubt);
    await expect.poll(isInDoubt).toBe(true); // the report of the failure has arrived
    const held = wire.holdNext("aggregate entries");
    const issuing = issueIn(first, queueId);
    await held.reached;
    await wire.cut();
    expect(await issuing).toBe("failed");
    await wire.restore();
    await expect.poll(() => issueIn(first, queueId)).toBeTypeOf("number");
    await written(first);
    for (const { open } of await storedLines(url)) {
      expect(Object.values(open).map(({ n }) => n)).not.toContain(1);
    }
  });

  test("have no gap and no duplicate when two instances assign them", async ({
    onTestFinished,
  }) => {
    const { first, second } = await twoInstances(onTestFinished);
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      const [ours, theirs] = await Promise.all([issueInEach(first), issueInEach(second)]);
      expect([...ours, ...theirs]).not.toContain("failed");
    }
    const expected = Array.from({ length: 2 * rounds + 1 }, (_, at) => at + 1);
    expect(await lines(first)).toEqual(Array(4).fill(expected));
    expect(await lines(second)).toEqual(Array(4).fill(expected));
  });
});

describe("a token number", () => {
  test("after a creation with an unknown result is assigned from recounted entries", async ({
    onTestFinished,
  }) => {
    const { first, wire } = await twoInstances(onTestFinished);
    const [queueId = ""] = queueIds;
    const held = wire.holdNext("findAndModify days");
    wire.loseNextResponse("findAndModify days");
    const failing = issueIn(first, queueId);
    await held.reached;
    const issuing = first.entries.issue(clinic.id, token("next", { queueId }));
    held.release();
    expect(await failing).toBe("failed");
    const issued = await issuing;
    expect("receipt" in issued && readReceipt(issued.receipt).data).toMatchObject({ position: 2 });
    expect((await lines(first))[0]).toHaveLength(2);
  });

  test("is assigned from recounted entries, although the report of the unknown result has not arrived", async ({
    onTestFinished,
  }) => {
    const { first, wire, queueId, report } = await withHeldReport(onTestFinished);
    const number = wire.holdNext("findAndModify days");
    const issuing = first.entries.issue(clinic.id, token("next", { queueId }));
    await number.reached;
    number.release();
    report.release();
    const issued = await issuing;
    expect("receipt" in issued && readReceipt(issued.receipt).data).toMatchObject({ position: 2 });
  });

  test("that may be assigned is not counted by a read, although the report of that has not arrived", async ({
    onTestFinished,
  }) => {
    const { first, wire, report } = await withHeldReport(onTestFinished, { priority: true });
    const read = wire.holdNext("aggregate");
    const listing = lines(first);
    await read.reached;
    read.release();
    report.release();
    expect((await listing)[0]).toHaveLength(1);
  });

  test("that arrives late in a line that did not exist is not counted for more than two minutes", async ({
    onTestFinished,
  }) => {
    const { first, second, wire, clock, commands, url } = await twoInstances(onTestFinished, {
      socketTimeoutMS: 500,
    });
    const [queueId = ""] = queueIds;
    const date = tomorrow;
    wire.holdNext("findAndModify days"); // without end
    await second.entries.issue(clinic.id, token("open", { queueId: queueIds[1] ?? "", date }));
    expect(await issueIn(first, queueId, { date })).toBe("failed");
    const late = commands.find((command) => nameOf(command) === "findAndModify days");
    await written(first);
    expect(await issueIn(second, queueId, { date })).not.toBe("failed");
    await written(second);
    await withDatabase(url, (db) => db.command(late as Record<string, unknown>));
    clock.advance(121_000); // a line that was in doubt is counted once more after two minutes
    const issued = await first.entries.issue(clinic.id, token("next", { queueId, date }));
    expect("receipt" in issued && readReceipt(issued.receipt).data).toMatchObject({ position: 2 });
  });

  test("is not used if its process was stopped for more than a minute, because its line may have been recounted", async ({
    onTestFinished,
  }) => {
    const { first, second, wire, clock } = await twoInstances(onTestFinished);
    const [queueId = ""] = queueIds;
    const held = wire.holdNext("findAndModify days");
    const issuing = issueIn(first, queueId);
    await held.reached;
    clock.advance(61_000);
    held.release();
    expect(await issuing).toBe(3);
    expect((await lines(second))[0]).toEqual([1, 3]);
  });
});
