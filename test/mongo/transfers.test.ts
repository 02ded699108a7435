import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { openStore } from "../../server/src/store/open.js";
import { noRandom, testClock } from "../store/support/adapters.js";
import { auditLog } from "../store/support/audit.js";
import {
  auditRow,
  back,
  clinic,
  front,
  id,
  settle,
  today,
  token,
} from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { Wire } from "./support/wire.js";

/** Opens two instances with one waiting entry. A test can cut the first one's connection to the database. */
async function twoInstances(atEnd: (end: OnTestFinishedHandler) => void) {
  const database = mongoDatabase();
  atEnd(database.remove);
  const wire = await Wire.to(database.url, { serverSelectionTimeoutMS: 300 });
  atEnd(() => wire.close());
  const clock = testClock();
  const open = async (url: string) => {
    const store = await openStore(url, { clock, elapsed: clock.elapsed, random: noRandom });
    atEnd(() => store.close());
    return store;
  };
  const second = await open(database.url);
  await settle(second);
  await second.entries.issue(clinic.id, token("one"));
  const first = await open(wire.url);
  const request = { id: id("moved"), queueId: back.id, dailyTokenLimit: null };
  const transfer = (on = first, as = request) =>
    on.entries.transfer(clinic.id, id("one"), as, clock(), { audit: auditRow("transfer") });
  const undo = (on = first) =>
    on.entries.move(clinic.id, id("one"), "undo", clock(), { seen: 1, audit: auditRow("undo") });
  const statusOf = async (name: string) =>
    (await second.entries.get(clinic.id, id(name)))?.entry.status ?? null;
  const countsOf = async (queueId: string) =>
    (await second.queues.day(clinic.id, queueId, today))?.counts;
  /** Cuts off the first instance for good, and advances the clock until it counts as dead. */
  const die = async (step: Promise<unknown>) => {
    const failed = expect(step).rejects.toThrow("the database cannot be reached");
    await wire.cut();
    await failed;
    clock.advance(4_000);
  };
  const outboxes = () =>
    withDatabase(database.url, (db) =>
      db.collection("entries").countDocuments({ outbox: { $exists: true } }),
    );
  return {
    ...{ database, wire, clock, first, second, transfer, undo, request },
    ...{ statusOf, countsOf, die, outboxes },
  };
}

describe("a transfer whose instance dies", () => {
  test("before the commit changes nothing, and succeeds on another instance", async ({
    onTestFinished,
  }) => {
    const { wire, second, transfer, statusOf, countsOf, die } = await twoInstances(onTestFinished);
    const held = wire.holdNext("update entries");
    const step = transfer();
    await held.reached;
    await die(step);
    expect(await countsOf(front.id)).toMatchObject({ WAITING: 1, CANCELED: 0 });
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 0 });
    expect([await statusOf("one"), await statusOf("moved")]).toEqual(["WAITING", null]);
    expect(await transfer(second)).toMatchObject({ outcome: "transferred" });
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 1 });
  });

  test("after the commit is completed by the recount of the new line", async ({
    onTestFinished,
  }) => {
    const { wire, second, transfer, statusOf, countsOf, die, outboxes } =
      await twoInstances(onTestFinished);
    const held = wire.holdNext("insert entries");
    const step = transfer();
    await held.reached;
    await die(step);
    expect([await statusOf("one"), await statusOf("moved")]).toEqual(["CANCELED", null]);
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 1 });
    expect(await statusOf("moved")).toBe("WAITING");
    expect(await outboxes()).toBe(0);
    expect(await countsOf(front.id)).toMatchObject({ WAITING: 0, CANCELED: 1 });
    expect(await auditLog(second, clinic.id, 10)).toEqual([auditRow("transfer")]);
    expect(await second.entries.callNext(clinic.id, back.id, today, 1)).toMatchObject({
      ...{ id: id("moved"), tokenNumber: 1 },
    });
  });

  test("and whose insert arrives late issues no second token", async ({ onTestFinished }) => {
    const { wire, clock, second, transfer, countsOf } = await twoInstances(onTestFinished);
    const held = wire.holdNext("insert entries");
    const step = transfer();
    await held.reached;
    clock.advance(4_000);
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 1 });
    await second.entries.callNext(clinic.id, back.id, today, clock());
    held.release();
    expect(await step).toMatchObject({ outcome: "transferred", joined: { tokenNumber: 1 } });
    clock.advance(130_000);
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 0, IN_SERVICE: 1 });
  });

  test("during its undo, after the commit, is completed by the recount of the old line", async ({
    onTestFinished,
  }) => {
    const { wire, transfer, undo, statusOf, countsOf, die, outboxes } =
      await twoInstances(onTestFinished);
    await transfer();
    const commit = wire.holdNext("update entries");
    const step = undo();
    await commit.reached;
    const delivery = wire.holdNext("update entries");
    commit.release();
    await delivery.reached;
    await die(step);
    expect([await statusOf("one"), await statusOf("moved")]).toEqual(["CANCELED", "CANCELED"]);
    expect(await countsOf(front.id)).toMatchObject({ WAITING: 1, CANCELED: 0 });
    expect(await statusOf("one")).toBe("WAITING");
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 0, CANCELED: 1 });
    expect(await outboxes()).toBe(0);
  });

  test("is complete in a copy that is made before any recount", async ({ onTestFinished }) => {
    const { wire, second, transfer, die } = await twoInstances(onTestFinished);
    const held = wire.holdNext("insert entries");
    const step = transfer();
    await held.reached;
    await die(step);
    const { items } = await second.copying.dump("entries", null);
    expect(items.map(({ id }) => id).toSorted()).toEqual([id("moved"), id("one")]);
  });
});

describe("a transferred entry", () => {
  test("gets another token number if the number is taken", async ({ onTestFinished }) => {
    const { database, second, transfer, countsOf, request } = await twoInstances(onTestFinished);
    await second.entries.issue(clinic.id, token("other", { queueId: back.id }));
    await second.copying.dump("services", null);
    await withDatabase(database.url, (db) =>
      db
        .collection("days")
        .updateOne({ businessId: clinic.id }, { $set: { [`lines.${back.id}.last`]: 0 } }),
    );
    const { id: _id } = request;
    expect(await transfer(second)).toMatchObject({
      ...{ outcome: "transferred", joined: { id: _id, tokenNumber: 2 } },
    });
    expect(await countsOf(back.id)).toMatchObject({ WAITING: 2 });
  });
});

test("a transfer whose process was stopped for more than a minute begins again, with another token number", async ({
  onTestFinished,
}) => {
  const { wire, clock, transfer, statusOf, countsOf } = await twoInstances(onTestFinished);
  const held = wire.holdNext("findAndModify days");
  const step = transfer();
  await held.reached;
  clock.advance(61_000);
  held.release();
  expect(await step).toMatchObject({ outcome: "transferred", joined: { tokenNumber: 2 } });
  expect([await statusOf("one"), await statusOf("moved")]).toEqual(["CANCELED", "WAITING"]);
  expect(await countsOf(back.id)).toMatchObject({ WAITING: 1 });
  expect(await countsOf(front.id)).toMatchObject({ WAITING: 0, CANCELED: 1 });
});
