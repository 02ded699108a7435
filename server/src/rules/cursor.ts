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
}

const dayMs = 86_400_000;

/** The first day that a cursor can name. Three digits count the days until the year 2552. */
const firstDay = Date.UTC(1900, 0, 1);
const dayDigits = 3;
const numberDigits = 3;
const minuteDigits = 2;

/** The position of an entry: its number. */
export function writeEntryCursor(list: DayList, date: string, tokenNumber: number): string {
  const position = `${writeDay(date)}${writeNumber(tokenNumber, numberDigits)}`;
  return position + checkOf(list, date, 20 - position.length);
}

/** The day and number of a cursor; null if it belongs to another list. */
export function readEntryCursor(list: DayList, cursor: string) {
  const date = readDay(cursor);
  const end = dayDigits + numberDigits;
  const tokenNumber = readNumber(cursor.slice(dayDigits, end));
  const isOwn =
    date !== null && cursor.length === 20 && cursor.slice(end) === checkOf(list, date, 20 - end);
  return isOwn ? { date, tokenNumber } : null;
}

/** The position of an appointment: its time of day and its id. */
export function writeAppointmentCursor(
  list: DayList,
  { date, slotTime, id }: { readonly date: string; readonly slotTime: string; readonly id: string },
): string {
  const [hours, minutes] = slotTime.split(":").map(Number);
  const minute = (hours ?? 0) * 60 + (minutes ?? 0);
  return writeDay(date) + writeNumber(minute, minuteDigits) + checkOf(list, date, 3) + id;
}

/** The day, time and id of a cursor; null if it belongs to another list. */
export function readAppointmentCursor(list: DayList, cursor: string) {
  const date = readDay(cursor);
  const end = dayDigits + minuteDigits;
  const minute = readNumber(cursor.slice(dayDigits, end));
  const isOwn = date !== null && cursor.slice(end, end + 3) === checkOf(list, date, 3);
  if (!isOwn || minute >= 24 * 60) return null;
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60];
  const slotTime = `${`${hours}`.padStart(2, "0")}:${`${minutes}`.padStart(2, "0")}`;
  return { date, slotTime, id: cursor.slice(end + 3) };
}

function checkOf({ kind, businessId, queueId }: DayList, date: string, length: number): string {
  return hashText(`${kind} ${businessId} ${queueId} ${date}`, length);
}

function writeDay(date: string): string {
  return writeNumber((Date.parse(`${date}T00:00:00Z`) - firstDay) / dayMs, dayDigits);
}

function readDay(cursor: string): string | null {
  const day = readNumber(cursor.slice(0, dayDigits));
  return Number.isNaN(day) ? null : new Date(firstDay + day * dayMs).toISOString().slice(0, 10);
}
