import { businessDay } from "../../../server/dist/rules/business-day.js";
import type { Database } from "../../../server/dist/store/mongo/connection.js";
import {
  contributionOf,
  counters,
  emptyTotals,
  type LineTotals,
  withContribution,
} from "../../../server/dist/store/mongo/line.js";
import { timezone } from "../timezone.js";

/** The differences between the counts of a line and its entries, on the business day of this instant. */
export async function wrongLine(
  { days, entries }: Database,
  businessId: string,
  queueId: string,
  now: number,
): Promise<string[]> {
  const date = businessDay(now, timezone);
  const there = await entries.model.find({ businessId, queueId, date }).lean();
  const day = await days.model.findOne({ businessId, date }).lean();
  let totals: LineTotals = emptyTotals;
  for (const entry of there) totals = withContribution(totals, contributionOf(entry));
  const counted = textOf(day?.lines[queueId] ?? emptyTotals);
  const recounted = textOf(totals);
  const wrong: string[] = [];
  if (counted !== recounted) wrong.push(`the line counts ${counted}, a recount is ${recounted}`);
  const created = day?.created ?? 0;
  const all = await entries.model.countDocuments({ businessId, date });
  if (created !== all) wrong.push(`${created} are counted as created of ${all}`);
  const waiting = await entries.model.countDocuments({ businessId, outbox: { $exists: true } });
  if (waiting > 0) wrong.push(`${waiting} entries wait in an outbox`);
  return wrong;
}

/** Totals as canonical text. */
function textOf(totals: LineTotals): string {
  const counted = counters.map((counter) => [counter, totals[counter]]);
  const blocks = (["first", "others"] as const).map((name) => [
    name,
    totals[name].map(({ b, w, m, u }) => ({ b, w, m, u })).sort((one, other) => one.b - other.b),
  ]);
  return JSON.stringify(Object.fromEntries([...counted, ...blocks]));
}
