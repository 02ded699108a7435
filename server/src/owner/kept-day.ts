import { day } from "@queue-api/contract";

/** Whether the service keeps dates of this year: time zones begin in the 19th century, and a cursor has three digits. */
export function isKeptDay(day: string): boolean {
  return day >= "1900" && day < "2500";
}

export const keptDayMessage = "must be a day of the years 1900 to 2499";

/** A day that an owner names. */
export const keptDay = day.refine(isKeptDay, keptDayMessage);
