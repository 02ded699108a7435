import { isCalendarDay, phone, routes, timeOfDay } from "@queue-api/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { document, type Json } from "./document.js";

test("a time of day is HH:MM of 24 hours", () => {
  const isValid = (time: unknown) => timeOfDay.safeParse(time).success;
  expect(["00:00", "09:30", "23:59"].filter((time) => !isValid(time))).toEqual([]);
  const others = ["24:00", "23:60", "9:30", "09:30:00", "0930", "", "ab:cd", null];
  expect(others.filter(isValid)).toEqual([]);
});

test("each existing day is accepted and no other", () => {
  const anyNumbers = fc.tuple(fc.nat(9999), fc.nat(13), fc.nat(32));
  fc.assert(
    fc.property(anyNumbers, ([year, month, date]) => {
      const text = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`;
      const real = new Date(`${text}T00:00:00Z`);
      const exists = !Number.isNaN(real.getTime()) && real.toISOString().startsWith(text);
      expect(isCalendarDay(text)).toBe(exists);
    }),
  );
});

test("a phone number has the pattern of the specification and at least 8 digits, in the OpenAPI document too", () => {
  const { schemas } = document.components as { schemas: Record<string, { properties: Json }> };
  const isDocumented = new Ajv2020().compile({
    ...(schemas.CreateEntryRequest?.properties.phone as Json),
    examples: [],
  });
  const mixed = fc.string({ unit: fc.constantFrom(..."0123456789 ()-+"), maxLength: 24 });
  fc.assert(
    fc.property(mixed, (typed) => {
      const asked = /^\+?[0-9 ()-]{8,20}$/.test(typed) && typed.replace(/\D/g, "").length >= 8;
      expect(phone.safeParse(typed).success).toBe(asked);
      expect(isDocumented(typed)).toBe(asked);
    }),
  );
});

test("a list reports all wrong parameters together, each once", () => {
  const wrong = { status: "CANCELLED", date: "21.11.2026", limit: "0", cursor: "x", page: "2" };
  const issues = routes.entries.list.query.safeParse(wrong).error?.issues ?? [];
  expect(issues.map(({ path, message }) => `${path.join(".")} ${message}`).toSorted()).toEqual([
    expect.stringContaining("page"),
    "cursor must be the nextCursor of an earlier page",
    "date must be a date like 2026-11-21",
    "limit must be at least 1",
    "status must be one of WAITING, IN_SERVICE, COMPLETED, CANCELED, NO_SHOW",
  ]);
});
