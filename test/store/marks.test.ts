import { expect, test } from "vitest";
import { Marks } from "../../server/src/store/marks.js";

test("marks keep their length and order however many are made while the clock stands still", () => {
  const marks = new Marks(
    () => 5,
    (bytes) => Buffer.alloc(bytes, 255),
  );
  const made = Array.from({ length: 200_000 }, () => marks.next());
  expect(new Set(made.map(({ length }) => length))).toEqual(new Set([24]));
  expect(made.findIndex((mark, n) => n > 0 && mark <= (made[n - 1] ?? ""))).toBe(-1);
});
