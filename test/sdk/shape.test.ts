import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { operations } from "../../sdk/src/generated/operations.js";
import type { Shape } from "../../sdk/src/operation.js";
import { misfit } from "../../sdk/src/shape.js";
import { anEntry } from "./support/examples.js";

const shape = operations.listEntries.answer as Shape;

describe("a response", () => {
  test("can have unknown fields at every level", () => {
    const customer = { tier: "gold", name: null, phone: null, since: [1] };
    const document = { data: [anEntry({ customer, seat: {} })], nextCursor: null, total: 1 };
    expect(misfit(document, shape)).toBeNull();
  });

  test.each([
    ["a list", { data: { length: 0 }, nextCursor: null }, ".data must be a list"],
    ["an object", { data: [anEntry(), 7], nextCursor: null }, ".data[1] must be an object"],
    ["a field", { data: [] }, ".nextCursor must be string|null"],
    [
      "a nested field",
      { data: [anEntry({ customer: { name: 7, phone: null } })], nextCursor: null },
      ".data[0].customer.name must be string|null",
    ],
  ])(
    "with the wrong type of %s is refused, and the message names the path",
    (_, document, message) => {
      expect(misfit(document, shape)).toBe(message);
    },
  );

  test("of an earlier release can lack fields, but no field can have the wrong type", () => {
    const { priority: _, ...rest } = anEntry();
    expect(misfit({ data: rest }, { data: operations.createEntry.answer?.data ?? {} })).toBe(
      ".data.priority must be boolean",
    );
    expect(misfit(rest, operations.createEntry.answer?.data ?? {}, true)).toBeNull();
    expect(misfit({ ...rest, token: 7 }, operations.createEntry.answer?.data ?? {}, true)).toBe(
      ".token must be string",
    );
  });

  test("has the same result in any order of its fields", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constantFrom(null, [], {}));
    const changes = fc.dictionary(
      fc.constantFrom(...Object.keys(anEntry()), "seat"),
      fc.option(value, { nil: undefined }), // undefined: the field is missing
      { maxKeys: 2 },
    );
    const order = fc.array(fc.nat(), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(changes, order, fc.boolean(), (changed, ranks, older) => {
        const entry = anEntry(changed);
        const shuffled = Object.fromEntries(
          Object.entries(entry)
            .map((field, at) => ({ field, rank: ranks[at] ?? 0 }))
            .sort((one, other) => one.rank - other.rank)
            .map(({ field }) => field),
        );
        const mismatch = misfit({ data: [entry], nextCursor: null }, shape, older);
        expect(misfit({ nextCursor: null, data: [shuffled] }, shape, older)).toBe(mismatch);
      }),
    );
  });
});
