import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { testClock } from "../store/support/adapters.js";
import { auditRow } from "../store/support/records.js";
import { mongoDatabase } from "../support/mongo.js";

const longAgo = 91 * 86_400_000;

/** Two instances on one database with an expired audit row, and a third one that stays open. */
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

describe("of several instances", () => {
  test("one prunes, as often as it needs to, and the others remove nothing meanwhile", async ({
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

  test("another one prunes once the pruner is closed", async ({ onTestFinished }) => {
    const { first, second, expire } = await instances(onTestFinished);
    await first.maintenance.prune();
    await expire();
    await first.close();
    expect(await rowsOf(second.maintenance.prune())).toBe(1);
  });

  test("another one prunes within a minute of the pruner's death, and if the clock is set back", async ({
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

  test("all together create one lease in an empty database", async ({ onTestFinished }) => {
    const { first, second } = await instances(onTestFinished);
    onTestFinished(() => first.close());
    const pruned = await Promise.all([first, second].map((one) => rowsOf(one.maintenance.prune())));
    expect(pruned.toSorted()).toEqual([0, 1]);
  });
});
