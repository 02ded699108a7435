import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomText } from "../../server/src/rules/base62.ts";
import { newId, newUuid } from "../../server/src/rules/ids.ts";

const time = fc.integer({ min: 0, max: Date.UTC(5000, 0, 1) });

/** A source of random bytes that repeats the given bytes. */
const repeating = (bytes: Uint8Array) => (length: number) =>
  Uint8Array.from({ length }, (_, i) => bytes[i % bytes.length] ?? 0);

const somethingUsable = fc
  .uint8Array({ minLength: 1, maxLength: 64 })
  .filter((bytes) => bytes.some((byte) => byte < 248));

describe("identifiers", () => {
  test("are 24 letters and digits for any time and any random bytes", () => {
    fc.assert(
      fc.property(time, somethingUsable, (now, bytes) => {
        expect(newId(now, repeating(bytes))).toMatch(/^[a-zA-Z0-9]{24}$/);
      }),
    );
  });

  test("of a later time sort after those of an earlier time", () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        fc.pre(a < b);
        const [first, second] = [newId(a, randomBytes), newId(b, randomBytes)];
        expect(first < second).toBe(true);
      }),
    );
  });
});

test("random text skips bytes that would make the first letters more likely", () => {
  const bytes = Uint8Array.from([255, 248, 0, 61, 62, 247]);
  expect(randomText(repeating(bytes), 4)).toBe("0z0z");
});

test("request ids are UUIDs of version 4 for any random bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      expect(newUuid(repeating(bytes))).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }),
  );
});
