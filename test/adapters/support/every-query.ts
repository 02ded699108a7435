import type { Adapter, Key, Listing, Value } from "../../../server/src/store/port.js";
import { type Index, indexes, type TableName } from "../../../server/src/store/tables.js";
import { auditOf, clinic as businessId, entryOf, front, today } from "./records.js";

type Listed = readonly [table: TableName, listing: Omit<Listing, "limit">];

const day = { businessId, date: today };
const line = { ...day, queueId: front };
const isRemoved = false;

/** What operations list, which is not all of an index. */
const listed: readonly Listed[] = [
  ["entries", { where: line, order: ["tokenNumber"], after: [5] }],
  ["entries", { where: { ...line, status: "WAITING" }, order: ["tokenNumber"], after: [5] }],
  ["entries", { where: { ...line, status: ["A", "B"] }, order: ["tokenNumber"], after: [5] }],
  ["entries", { where: { ...day, queueId: [front, "other"], status: "IN_SERVICE" } }],
  ["entries", { where: { businessId, appointmentId: ["a", "b"] } }],
  ["entries", { where: day, order: ["changedAt"], descending: true }],
  [
    "entries",
    { where: { businessId }, order: ["date", "placeInDay"], from: "a", to: "b", after: ["a", 1] },
  ],
  [
    "appointments",
    { where: { ...day, isRemoved }, order: ["slotTime", "id"], after: ["09:00", "x"] },
  ],
  [
    "appointments",
    { where: { businessId, isRemoved }, order: ["date", "slotTime", "id"], after: ["a", "b", "c"] },
  ],
  ["audit", { where: { businessId }, order: ["at", "id"] }],
  [
    "audit",
    {
      where: { businessId },
      order: ["at", "id"],
      descending: true,
      after: [900, "x"],
      from: 5,
      to: 999,
    },
  ],
];

function sampleOf(field: string): Value {
  if (field === "isRemoved") return isRemoved;
  if (field === "date") return today;
  return /tokenNumber|placeInDay|changedAt|endsAt|keptUntil|^at$/.test(field) ? 7 : businessId;
}

/** Every kind of query that operations and the housekeeper send to an adapter. */
export async function sendEveryQuery(adapter: Adapter): Promise<void> {
  for (const [table, ofTable] of Object.entries(indexes)) {
    for (const { fields, some = false } of Object.values<Index>(ofTable)) {
      const key: Key = Object.fromEntries(fields.map((field) => [field, sampleOf(field)]));
      await adapter.find(table as TableName, key);
      const order = fields.at(-1) ?? "";
      const { [order]: _, ...where } = key;
      // the items of a list are found, and order nothing; an index of some records orders only these
      if (some || /\.|tokens|uses/.test(order) || Object.keys(where).length === 0) continue;
      await adapter.list(table as TableName, { where, order: [order], limit: 5 });
    }
  }
  for (const table of ["entries", "windows", "imports"] as const) {
    await adapter.list(table, { where: { id: ["a", "b"] }, limit: 2 });
  }
  for (const [table, listing] of listed) await adapter.list(table, { ...listing, limit: 5 });
  for (const asked of [day, line]) {
    await adapter.count(asked);
    await adapter.count(asked, 5);
    await adapter.line(asked);
    await adapter.line(asked, 1);
  }
  await adapter.last(line);
  await adapter.waiting([today, "2026-11-25"]);

  const table = "entries";
  const before = { ...entryOf(1), version: 0 };
  const record = entryOf(1, { calls: 1 });
  await adapter.send({ kind: "update", table, before, record, audit: auditOf("update") });
  await adapter.send({ kind: "remove", table, before: { ...before, version: 9 }, audit: null });
  const purge = { below: 3, limit: 5 };
  await adapter.purge({ table: "audit", field: "at", ...purge });
  await adapter.purge({ table: "windows", field: "endsAt", ...purge });
  await adapter.purge({ table: "sessions", field: "endsAt", ...purge });
  await adapter.purge({ table, field: "keyed.keptUntil", clear: "keyed", ...purge });
  for (const table of ["entries", "appointments", "sessions", "audit"] as const) {
    await adapter.sweep(table, "other", 5);
  }
  await adapter.tidy();
  await adapter.ping();
}
