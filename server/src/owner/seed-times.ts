import type { EntryStatus } from "@queue-api/contract";
import { addDays, businessDay, sameTimeOn } from "../rules/business-day.js";
import type { Entry } from "../rules/records.js";

const minute = 60_000;

/** Converts a day of a seed file (`2026-11-21`, `today`, `today+1`, `today-1`) to a calendar day. */
export function resolveDay(written: string, today: string): string {
  if (written === "today") return today;
  return written.startsWith("today")
    ? addDays(today, Number(written.slice("today".length)))
    : written;
}

/**
 * The same local time on an earlier day. A time that is on that day already, or before it, is unchanged.
 */
export function onEarlierDay(date: string, at: number, timezone: string | null): number {
  return businessDay(at, timezone) <= date ? at : sameTimeOn(date, at, timezone);
}

type ServedTimes = Pick<Entry, "startedAt" | "completedAt" | "canceledAt">;

/** The maximum time that an entry waits before it is called or canceled. */
const longestWait = 20 * minute;

/** The service time if the service has no base time. */
const usualMinutes = 10;

/**
 * Plausible times for an entry with this status. The service takes its base time if that has passed since the issue;
 * the wait takes half of the remaining time.
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
