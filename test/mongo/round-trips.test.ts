import { expect, test } from "vitest";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import {
  appointmentOf,
  auditOf,
  clinic as businessId,
  today as date,
  entryOf,
  front as queueId,
} from "../adapters/support/records.js";
import { emptyMongoDatabase } from "../support/mongo.js";

test("each record is read by one command, and each write is one command", async ({
  onTestFinished,
}) => {
  const { url, remove } = emptyMongoDatabase();
  onTestFinished(remove);
  const commands: string[] = [];
  const { adapter } = await openMongo(url, {
    prepare: "always",
    onCommand: (command) => {
      const [name = ""] = Object.keys(command);
      commands.push(`${name} ${command[name]}`);
    },
  });
  onTestFinished(() => adapter.close());
  const during = async (step: () => Promise<unknown>) => {
    commands.length = 0;
    await step();
    return commands.toSorted();
  };

  const record = entryOf(1);
  const before = { ...record, version: 0 };
  const day = { businessId, date, queueId };
  const audit = auditOf("row");
  const insert = { kind: "insert", table: "entries", record, audit } as const;
  expect(await during(() => adapter.send(insert))).toEqual(["insert entries"]);
  expect(await during(() => adapter.send(insert))).toEqual(["insert entries"]); // lost
  const update = { kind: "update", table: "entries", before, audit } as const;
  const change = () => adapter.send({ ...update, record: { ...record, calls: 1 } });
  expect(await during(change)).toEqual(["update entries"]);
  expect(await during(change)).toEqual(["update entries"]); // lost
  expect(await during(() => adapter.find("entries", { id: record.id }))).toEqual(["find entries"]);
  expect(await during(() => adapter.count(day))).toEqual(["aggregate entries"]);
  expect(await during(() => adapter.line(day))).toEqual(["find entries"]);
  expect(await during(() => adapter.waiting([date]))).toEqual(["aggregate entries"]);
  expect(await during(() => adapter.last(day))).toEqual(["aggregate entries"]);
  await adapter.append(
    "appointments",
    Array.from({ length: 300 }, (_, n) => appointmentOf(`visit${n}`)),
  );
  const where = { businessId, isRemoved: false, date };
  const list = () => adapter.list("appointments", { where, order: ["slotTime", "id"], limit: 300 });
  expect(await during(list)).toEqual(["find appointments"]);
  const remove1 = { kind: "remove", table: "entries", before: { ...before, version: 1 } } as const;
  expect(await during(() => adapter.send({ ...remove1, audit: null }))).toEqual(["delete entries"]);
});
