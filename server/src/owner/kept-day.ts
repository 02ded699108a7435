import { day } from "@queue-api/contract";

/** Whether the service keeps records of a day. Time zones begin in the 19th century, and cursors end in 2552. */
export function isKeptDay(day: string): boolean {
  return day >= "1900" && day < "2500";
}

export const keptDayMessage = "must be a day of the years 1900 to 2499";

/** A day that an owner names. */
export const keptDay = day.refine(isKeptDay, keptDayMessage);
