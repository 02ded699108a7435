import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { testClock } from "../store/support/adapters.js";
import { auditRow } from "../store/support/records.js";
import { mongoDatabase } from "../support/mongo.js";

const longAgo = 91 * 86_400_000;

/** Opens two instances on one database with an expired audit row. The second one is closed after the test. */
async function instances(atEnd: (end: OnTestFinishedHandler) => void) {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const clock = testClock();
  const open = () => openStore(url, { random: randomBytes, clock, elapsed: clock.elapsed });
  const [first, second] = [await open(), await open()];
  atEnd(() => second.close());
  const expire = () => second.audit.append([auditRow("old", { at: clock() - longAgo })]);
  await expire();
  return { first, second, clock, expire };
}

const rowsOf = async (prune: Promise<{ readonly auditRows: number }>) => (await prune).auditRows;

describe("pruning by several instances", () => {
  test("is done by one instance, any number of times, and the others remove nothing", async ({
    onTestFinished,
  }) => {
    const { first, second, clock, expire } = await instances(onTestFinished);
    onTestFinished(() => first.close());
    expect(await rowsOf(first.maintenance.prune())).toBe(1);
    await expire();
    clock.advance(49_000);
    expect(await rowsOf(second.maintenance.prune())).toBe(0);
    expect(await rowsOf(first.maintenance.prune())).toBe(1);
  });

  test("is taken over by another instance when the first one is closed", async ({
    onTestFinished,
  }) => {
    const { first, second, expire } = await instances(onTestFinished);
    await first.maintenance.prune();
    await expire();
    await first.close();
    expect(await rowsOf(second.maintenance.prune())).toBe(1);
  });

  test("is taken over within a minute after the first instance dies, and when the clock is set back", async ({
    onTestFinished,
  }) => {
    const { first, second, clock, expire } = await instances(onTestFinished);
    onTestFinished(() => first.close());
    await first.maintenance.prune();
    await expire();
    clock.advance(50_000);
    expect(await rowsOf(second.maintenance.prune())).toBe(1);
    clock.advance(-3_600_000);
    await expire();
    expect(await rowsOf(first.maintenance.prune())).toBe(1);
  });

  test("is done by one of several instances that start at once in a new database", async ({
    onTestFinished,
  }) => {
    const { first, second } = await instances(onTestFinished);
    onTestFinished(() => first.close());
    const pruned = await Promise.all([first, second].map((one) => rowsOf(one.maintenance.prune())));
    expect(pruned.toSorted()).toEqual([0, 1]);
  });
});
