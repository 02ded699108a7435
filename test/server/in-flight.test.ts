import { expect, it } from "vitest";
import { InFlight } from "../../server/src/lib/in-flight.js";

it("gives each item a different index until it is removed", () => {
  const open = new InFlight<{ name: string }>();
  const [first, second] = [{ name: "first" }, { name: "second" }];
  const places = [open.add(first), open.add(second)] as const;
  expect(open.size).toBe(2);
  expect(open.take(places[0])).toBe(first);
  expect(open.take(places[0])).toBeUndefined();
  expect(open.all()).toEqual([second]);
  const third = { name: "third" };
  const place = open.add(third);
  expect(place).not.toBe(places[1]);
  expect([open.take(place), open.take(places[1])]).toEqual([third, second]);
  expect(open.size).toBe(0);
});
