import { hashText, readNumber, writeNumber } from "./base62.js";

/*
 * A cursor is a position in a list, not an item: it goes on after whatever happened to the item that was there. It consists
 * of letters and digits: the day, the position in the list of that day, and a check value of the list. The check value
 * tells a cursor of another list from one of this list. It is no secret.
 */

/** A list of one day. */
export interface DayList {
  readonly kind: "entries" | "appointments";
  readonly businessId: string;
  /** The queue of entries; null for appointments. */
  readonly queueId: string | null;
  readonly date: string;
}

const dayMs = 86_400_000;

/** The first day that a cursor can name. Three digits count the days until the year 2552. */
const firstDay = Date.UTC(1900, 0, 1);
const dayDigits = 3;
const numberDigits = 3;
const minuteDigits = 2;

/** The position of an entry: its number. */
export function writeEntryCursor(list: DayList, tokenNumber: number): string {
  const position = writeDay(list.date) + writeNumber(tokenNumber, numberDigits);
  return position + checkOf(list, 20 - position.length);
}

/** The number of a cursor; null if it belongs to another list. */
export function readEntryCursor(list: DayList, cursor: string): number | null {
  const tokenNumber = readNumber(cursor.slice(dayDigits, dayDigits + numberDigits));
  return cursor === writeEntryCursor(list, tokenNumber) ? tokenNumber : null;
}

/** The position of an appointment: its time of day and its id. */
export function writeAppointmentCursor(
  list: DayList,
  { slotTime, id }: { readonly slotTime: string; readonly id: string },
): string {
  const [hours, minutes] = slotTime.split(":").map(Number);
  const minute = (hours ?? 0) * 60 + (minutes ?? 0);
  return writeDay(list.date) + writeNumber(minute, minuteDigits) + checkOf(list, 3) + id;
}

/** The time and id of a cursor; null if it belongs to another list. */
export function readAppointmentCursor(list: DayList, cursor: string) {
  const end = dayDigits + minuteDigits;
  const minute = readNumber(cursor.slice(dayDigits, end));
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60];
  const slotTime = `${`${hours}`.padStart(2, "0")}:${`${minutes}`.padStart(2, "0")}`;
  const position = { slotTime, id: cursor.slice(end + 3) };
  return minute < 24 * 60 && cursor === writeAppointmentCursor(list, position) ? position : null;
}

/** The day of the list that a cursor belongs to, if it is one; null if it names no day. */
export function dayOfCursor(cursor: string): string | null {
  const day = readNumber(cursor.slice(0, dayDigits));
  return Number.isNaN(day) ? null : new Date(firstDay + day * dayMs).toISOString().slice(0, 10);
}

function checkOf({ kind, businessId, queueId, date }: DayList, length: number): string {
  return hashText(`${kind} ${businessId} ${queueId} ${date}`, length);
}

function writeDay(date: string): string {
  return writeNumber((Date.parse(`${date}T00:00:00Z`) - firstDay) / dayMs, dayDigits);
}
