import type { EntryStatus } from "@queue-api/contract";
import { addDays, businessDay, sameTimeOn } from "../rules/business-day.js";
import type { Entry } from "../rules/records.js";

const minute = 60_000;

/** The day that a seed file means by a day, `today`, `today+1` or `today-1`. */
export function resolveDay(written: string, today: string): string {
  if (written === "today") return today;
  return written.startsWith("today")
    ? addDays(today, Number(written.slice("today".length)))
    : written;
}

/**
 * The same time of day on an earlier day, by the zone's offset on that day. An instant that lies
 * there already, or earlier, stays as it is.
 */
export function onEarlierDay(date: string, at: number, timezone: string | null): number {
  return businessDay(at, timezone) <= date ? at : sameTimeOn(date, at, timezone);
}

type ServedTimes = Pick<Entry, "startedAt" | "completedAt" | "canceledAt">;

/** How long somebody waits at most before they are called or give up, where there is room for more. */
const longestWait = 20 * minute;

/** How long serving takes where the service does not say. */
const usualMinutes = 10;

/**
 * A plausible course for an entry up to its state: serving takes the service's base time where there
 * is room for it, waiting half of what is left.
 */
export function servedTimes(
  status: EntryStatus,
  issuedAt: number,
  workMinutes: number | null,
  now: number,
): ServedTimes {
  const room = Math.max(0, now - issuedAt);
  const serving = Math.min((workMinutes ?? usualMinutes) * minute, room);
  const wait = (left: number) => Math.floor(Math.min(left / 2, longestWait));
  const startedAt = issuedAt + wait(room - serving);
  const never = { startedAt: null, completedAt: null, canceledAt: null };
  if (status === "IN_SERVICE") return { ...never, startedAt };
  if (status === "COMPLETED") return { ...never, startedAt, completedAt: startedAt + serving };
  if (status === "CANCELED") return { ...never, canceledAt: issuedAt + wait(room) };
  return never;
}
