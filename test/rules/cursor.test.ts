import { describe, expect, test } from "vitest";
import {
  dayOfCursor,
  readAppointmentCursor,
  readEntryCursor,
  writeAppointmentCursor,
  writeEntryCursor,
} from "../../server/src/rules/cursor.ts";
import { back, clinic, front, id, salon, today, tomorrow } from "../store/support/records.js";

const list = { businessId: clinic.id, date: today } as const;
const entries = { ...list, kind: "entries", queueId: front.id } as const;
const visits = { ...list, kind: "appointments", queueId: null } as const;
const others = [
  { ...entries, queueId: back.id },
  { ...entries, businessId: salon.id },
  { ...entries, kind: "appointments" },
] as const;

describe("a cursor", () => {
  test.each([
    [today, 1],
    [tomorrow, 10_000],
    ["2499-12-31", 61],
    ["1900-01-01", 0],
  ])("of an entry names the day %s and the number %d", (date, tokenNumber) => {
    const cursor = writeEntryCursor({ ...entries, date }, tokenNumber);
    expect(cursor).toMatch(/^[a-zA-Z0-9]{20}$/);
    expect(dayOfCursor(cursor)).toBe(date);
    expect(readEntryCursor({ ...entries, date }, cursor)).toBe(tokenNumber);
    expect(readEntryCursor({ ...entries, date: "2026-11-20" }, cursor)).toBeNull();
    for (const other of others) expect(readEntryCursor({ ...other, date }, cursor)).toBeNull();
  });

  test.each(["00:00", "09:05", "10:30", "23:59"])(
    "of an appointment names the day, the time %s and the id",
    (slotTime) => {
      const position = { slotTime, id: id("visit") };
      const cursor = writeAppointmentCursor(visits, position);
      expect(cursor).toMatch(/^[a-zA-Z0-9]{20,32}$/);
      expect(dayOfCursor(cursor)).toBe(today);
      expect(readAppointmentCursor(visits, cursor)).toEqual(position);
      expect(readAppointmentCursor({ ...visits, businessId: salon.id }, cursor)).toBeNull();
    },
  );

  test("is refused if any of it was changed, or it is no cursor", () => {
    const cursor = writeEntryCursor(entries, 7);
    for (const changed of ["", "-", cursor.slice(1), `${cursor}a`, `--${cursor.slice(2)}`]) {
      expect(readEntryCursor(entries, changed)).toBeNull();
      expect(readAppointmentCursor(visits, changed)).toBeNull();
    }
    const next = writeEntryCursor({ ...entries, date: tomorrow }, 7);
    for (const list of [entries, { ...entries, date: tomorrow }]) {
      expect(readEntryCursor(list, next.slice(0, 3) + cursor.slice(3))).toBeNull();
    }
    expect(dayOfCursor("-")).toBeNull();
  });

  test("of an appointment has a time of a day", () => {
    const cursor = writeAppointmentCursor(visits, { slotTime: "24:00", id: "a" });
    expect(readAppointmentCursor(visits, cursor)).toBeNull();
  });
});
