import { describe, expect, test } from "vitest";
import { misfit } from "../../sdk/src/answer.js";
import { operations } from "../../sdk/src/generated/operations.js";
import type { Shape } from "../../sdk/src/operation.js";
import { anEntry } from "./support/examples.js";

const shape = operations["entries.list"].answer as Shape;

describe("a response", () => {
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
});
