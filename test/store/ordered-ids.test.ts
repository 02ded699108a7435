import { expect, test } from "vitest";
import { OrderedIds } from "../../server/src/store/ordered-ids.js";

test("ordered ids keep their length and order however many are made while the clock stands still", () => {
  const orderedIds = new OrderedIds(
    () => 5,
    (bytes) => Buffer.alloc(bytes, 255),
  );
  const made = Array.from({ length: 200_000 }, () => orderedIds.next());
  expect(new Set(made.map(({ length }) => length))).toEqual(new Set([24]));
  expect(made.findIndex((id, n) => n > 0 && id <= (made[n - 1] ?? ""))).toBe(-1);
});
