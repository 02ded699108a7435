import fc from "fast-check";
import { expect, it } from "vitest";
import { timestamp } from "../../server/src/rules/timestamp.js";

const mostMs = 8_640_000_000_000_000;

it("formats every instant like Date, in any order", () => {
  const instants = fc.array(
    fc.oneof(
      fc.integer({ min: -mostMs, max: mostMs }),
      fc.integer({ min: -3, max: 3 }).map((days) => days * 86_400_000 - 1),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    ),
  );
  fc.assert(
    fc.property(instants, (all) => {
      expect(all.map(timestamp)).toEqual(all.map((at) => new Date(at).toISOString()));
    }),
  );
});

it.each([Number.NaN, mostMs + 1])("refuses %d, which is not an instant", (at) => {
  expect(() => timestamp(at)).toThrow(RangeError);
});
