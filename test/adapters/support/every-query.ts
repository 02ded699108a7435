import type { Adapter, Key, Value } from "../../../server/src/store/port.js";
import { type Index, indexes, type TableName } from "../../../server/src/store/tables.js";
import { orderedLists, unorderedLists } from "./lists.js";
import { auditOf, clinic as businessId, entryOf, front, today } from "./records.js";
import { removal, send } from "./writes.js";

const day = { businessId, date: today };
const line = { ...day, queueId: front };

function sampleOf(field: string): Value {
  if (field === "isRemoved") return false;
  if (field === "date") return today;
  return /tokenNumber|sequenceInDay|changedAt|endsAt|keptUntil|^at$/.test(field) ? 7 : businessId;
}

/** Every kind of query that operations and the housekeeper send to an adapter. */
export async function sendEveryQuery(adapter: Adapter): Promise<void> {
  for (const [table, ofTable] of Object.entries(indexes)) {
    for (const { fields } of Object.values<Index>(ofTable)) {
      const key: Key = Object.fromEntries(fields.map((field) => [field, sampleOf(field)]));
      await adapter.find(table as TableName, key);
    }
  }
  for (const [table, where, order] of orderedLists(businessId)) {
    const [from = "", ...rest] = order.map(sampleOf);
    const list = { where, order, limit: 5 };
    await adapter.list(table, list);
    await adapter.list(table, { ...list, after: [from, ...rest] });
    await adapter.list(table, {
      ...list,
      descending: true,
      after: [from, ...rest],
      from,
      to: from,
    });
  }
  for (const [table, where] of unorderedLists(businessId)) {
    await adapter.list(table, { where, limit: 5 });
  }
  for (const asked of [day, line]) {
    await adapter.count(asked);
    await adapter.count(asked, { first: 5, last: 7 });
    await adapter.line(asked);
  }
  await adapter.last(line);
  await adapter.waiting([today, "2026-11-25"]);

  const table = "entries";
  const before = { ...entryOf(1), version: 0 };
  const record = entryOf(1, { calls: 1 });
  await send(adapter, { kind: "update", table, before, record, audit: auditOf("update") });
  await send(adapter, removal(table, { ...before, version: 9 }));
  for (const table of ["audit", "windows", "sessions", "entries"] as const) {
    await adapter.removeExpired(table, 3, 5);
  }
  for (const table of ["entries", "appointments", "sessions", "audit"] as const) {
    await adapter.removeOfBusiness(table, "other", 5);
  }
  await adapter.maintain();
  await adapter.ping();
}
