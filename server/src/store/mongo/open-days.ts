import { type DayDoc, dayId } from "./collections/days.js";
import type { Database } from "./connection.js";
import { insertEach } from "./unavailable.js";

/** Creates an empty document for each day that has none, in one command. */
export async function openDays(
  db: Database,
  days: readonly Pick<DayDoc, "businessId" | "date">[],
): Promise<void> {
  if (days.length === 0) return;
  const docs = days.map(({ businessId, date }): DayDoc => {
    return { _id: dayId(businessId, date), businessId, date, created: 0, lines: {} };
  });
  const results = await Promise.all(await insertEach(db.days.raw, docs));
  const error = results.find((result) => result instanceof Error);
  if (error) throw error;
}
