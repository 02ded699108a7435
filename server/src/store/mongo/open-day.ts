import { type DayDoc, dayId } from "./collections/days.js";
import type { Database } from "./connection.js";
import { duplicateOf } from "./unavailable.js";

/** Creates an empty document for a day if it does not exist. */
export async function openDay(db: Database, businessId: string, date: string): Promise<void> {
  const day: DayDoc = { _id: dayId(businessId, date), businessId, date, created: 0, lines: {} };
  await db.days.raw.insertOne(day).catch((error) => {
    if (duplicateOf(error) === null) throw error;
  });
}
