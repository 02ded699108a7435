import { afterAll, describe, expect, test } from "vitest";
import { situations } from "./cases.js";
import { withoutClaim } from "./mutants.js";
import { storeEnds, Theatre } from "./theatre.js";

/*
 * Two instances on one SQLite file that stop before each transaction. `npm run explore` runs more schedules,
 * also on MongoDB.
 */
const { atEnd, end } = storeEnds();
const theatre = new Theatre("sqlite", atEnd);
afterAll(end);

/** The cases that take only seconds with a fault and an expired lease. */
const withFault = ["two requests with one key", "a creation and a read of its entry"];

describe("two instances on one file, in every order of their transactions", () => {
  test.each(situations)("keep the guarantees of an Idempotency-Key: $name", async ({ name }) => {
    const count = withFault.includes(name) ? 1 : 0;
    const explored = await theatre.exhaust(name, { faults: count, ticks: count });
    expect(explored).toMatchObject({ failure: null, complete: true });
  });

  test("violate them where a creation has no claim", async () => {
    const broken = new Theatre("sqlite", atEnd, withoutClaim);
    const explored = await broken.exhaust("a third request after two", { faults: 0, ticks: 0 });
    expect(explored.failure?.wrong).toContain("K has more than one entry");
  });

  test("keep the guarantees in random larger cases", async () => {
    for (let seed = 1; seed <= 100; seed++) expect(await theatre.seed(seed)).toBe(null);
  });
});
