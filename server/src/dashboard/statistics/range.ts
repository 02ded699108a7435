import { isCalendarDay } from "@queue-api/contract";
import { addDays } from "../../rules/business-day.js";
import type { DayRange } from "../../store/store.js";
import type { Typed } from "../forms.js";

/** The longest range that one page shows. */
export const mostDays = 92;

/** The range that an address asks for, and what is wrong with it if it cannot be shown. */
export interface AskedRange {
  readonly days: DayRange;
  readonly fault: string | null;
}

/** The ranges that are asked for most, by how many days they have; each ends today. */
export const usualRanges = [
  { days: 1, label: "Today" },
  { days: 7, label: "7 days" },
  { days: 28, label: "4 weeks" },
] as const;

/** The last days up to today, today included. */
export function lastDays(today: string, days: number): DayRange {
  return { first: addDays(today, 1 - days), last: today };
}

/** Reads `from` and `to` of an address. Without both it is today; what cannot be shown becomes today too. */
export function readRange({ from, to }: Typed, today: string): AskedRange {
  const usual = lastDays(today, 1);
  const first = dayOf(from) ?? dayOf(to);
  const last = dayOf(to) ?? dayOf(from);
  if (first === null || last === null) return { days: usual, fault: null };
  const refused = (fault: string) => ({ days: usual, fault });
  if (!isDay(first) || !isDay(last)) return refused("That is no day. Choose one like 2026-11-21.");
  if (first > last) return refused("The first day must not lie after the last one.");
  if (addDays(first, mostDays) <= last) {
    return refused(`At most ${mostDays} days can be shown together.`);
  }
  return { days: { first, last }, fault: null };
}

/** Every day of a range. */
export function daysOf({ first, last }: DayRange): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

function dayOf(typed: Typed[string]): string | null {
  return typeof typed === "string" && typed !== "" ? typed : null;
}

function isDay(day: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && isCalendarDay(day);
}
