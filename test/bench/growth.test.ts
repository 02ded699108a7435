import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { growth } from "./growth/growth.js";

const small = { scale: 0.001, minutes: 1, rounds: 1, report: () => {} };

async function folder(atEnd: (end: () => Promise<void>) => void): Promise<() => string> {
  const path = await mkdtemp(join(tmpdir(), "queue-api-growth-"));
  atEnd(() => rm(path, { recursive: true }));
  let files = 0;
  return () => `file:${join(path, `${++files}.db`)}`;
}

test("every operation is measured at every size", async ({ onTestFinished }) => {
  const lines = (await growth({ ...small, newDatabase: await folder(onTestFinished) })).split("\n");
  const operations = 5;
  const days = 3;
  const sizes = 3 + 2 + 2 + 3;
  expect(lines).toHaveLength(1 + operations * sizes + days);
  const larger = lines.filter((line) => /(met|MISSED)$/.test(line));
  expect(larger).toHaveLength(operations * (sizes - 4) + days - 1);
});

test("a size that takes too long to write is reported as not run", async ({ onTestFinished }) => {
  const options = { ...small, minutes: 0, newDatabase: await folder(onTestFinished) };
  const report = await growth(options);
  expect(report.match(/not run: writing it took too long/g)).toHaveLength(10);
});
