import mongoose from "mongoose";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { everyPart } from "../../server/src/store/every-part.js";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import { auditRow, clinic, entry, front, importOf, token } from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import type { Command } from "./support/watched.js";
import { Wire } from "./support/wire.js";

/** A database whose log has rows at the given times: in their own collection, and in two entries. */
async function withLog(
  atEnd: (end: OnTestFinishedHandler) => void,
  { own, ofEntries }: { readonly own: readonly number[]; readonly ofEntries: readonly number[] },
) {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const commands: Command[] = [];
  const store = await openMongo(url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  atEnd(() => store.close());
  const entries = [entry(1), entry(2)];
  await store.businesses.import([importOf(clinic, { queues: [front], entries })], {
    replace: false,
  });
  const rowsAt = (times: readonly number[], kind: string) =>
    times.map((at, n) => {
      const { sum, account, ...row } = auditRow(`${kind}${n}`, { at });
      return { _id: new mongoose.Types.ObjectId(), order: at, ...row };
    });
  const rows = rowsAt(own, "own");
  const embedded = rowsAt(ofEntries, "entry");
  await withDatabase(url, async (db) => {
    await db.collection("audit").insertMany(rows, { ordered: false });
    for (const [place, { id }] of entries.entries()) {
      const audits = embedded.filter((_, n) => n % entries.length === place);
      await db.collection("entries").updateOne({ _id: id as never }, { $set: { audits } });
    }
  });
  const inOrder = [...rows, ...embedded]
    .sort((a, b) => a.at - b.at || (a._id.toHexString() < b._id.toHexString() ? -1 : 1))
    .map(({ requestId }) => requestId);
  const dumped = async () => {
    const ids: string[] = [];
    for await (const part of everyPart((after) => store.copying.dump("audit", after))) {
      ids.push(...part.map(({ requestId }) => requestId));
    }
    return ids;
  };
  return { url, commands, inOrder, dumped };
}

const start = Date.now() - 30 * 86_400_000;

function times(count: number, at: (n: number) => number): number[] {
  return Array.from({ length: count }, (_, n) => at(n));
}

describe("the dump of the audit log", () => {
  test("has every row once, ordered by time", async ({ onTestFinished }) => {
    const { inOrder, dumped } = await withLog(onTestFinished, {
      own: [
        ...[0, 1, Number.MAX_SAFE_INTEGER - 1],
        ...times(5_000, () => start), // more than a step, all of the same time
        ...times(3_000, (n) => start + 1 + n),
        ...times(100, (n) => start + 100_000 * 2 ** (n / 4)),
      ].map(Math.floor),
      ofEntries: [2, start, start + 1, start + 500, start + 500, start + 90 * 86_400_000],
    });
    expect(await dumped()).toEqual(inOrder);
  });

  test("is read in small steps, without a sort in the database", async ({ onTestFinished }) => {
    const { commands, inOrder, dumped } = await withLog(onTestFinished, {
      own: times(12_000, (n) => Date.now() - 600_000 * n),
      ofEntries: times(40, (n) => Date.now() - 86_400_000 * n),
    });
    const before = commands.length;
    expect(await dumped()).toEqual(inOrder);
    const sent = commands.slice(before);
    const reads = sent.filter(({ find, hint }) => find !== undefined && hint !== "outbox");
    expect(reads.filter(({ find }) => find === "audit").length).toBeGreaterThan(12_000 / 2_000);
    expect(reads.filter(({ find }) => find === "audit").length).toBeLessThan(40);
    for (const read of reads) {
      expect(read.sort).toBeUndefined();
      expect(read.limit).toBe(2_001);
    }
    const ofCollections = sent.filter(({ aggregate }) => typeof aggregate === "string");
    expect(ofCollections).toEqual([]);
  });
});

describe("a dump", () => {
  test("begins when the deferred writes are stored, also those that are being written", async ({
    onTestFinished,
  }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    const wire = await Wire.to(url);
    onTestFinished(() => wire.close());
    const store = await openMongo(wire.url, { prepare: "always" });
    onTestFinished(() => store.close());
    await store.businesses.import([importOf(clinic, { queues: [front] })], { replace: false });
    await store.entries.issue(clinic.id, token("first"));
    await store.copying.dump("services", null);

    const report = wire.holdNext("update days");
    await store.entries.issue(clinic.id, token("second"));
    await report.reached;
    let isDumped = false;
    const dumped = store.copying.dump("services", null).then(() => {
      isDumped = true;
    });
    for (let n = 0; n < 20; n++) await store.ping(); // more commands than a dump sends
    expect(isDumped).toBe(false);
    report.release();
    await dumped;
  });
});
