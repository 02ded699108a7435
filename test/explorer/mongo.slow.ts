import { afterAll, describe, expect, test, vi } from "vitest";
import { found } from "./found.js";
import { mutants, staleCache, withoutClaim } from "./mutants.js";
import { storeEnds, Theatre } from "./theatre.js";

/*
 * Two instances on one MongoDB database. Every command waits on the wire for its turn. `npm run explore`
 * runs more schedules.
 */
vi.setConfig({ testTimeout: 600_000 });

const readTwice = "reads before and after a cancellation on another instance";

const { atEnd, end } = storeEnds();
const theatre = new Theatre("mongo", atEnd);
afterAll(end);

describe("two instances on one database, in every order of their commands", () => {
  test.each(["two requests with one key", "a cancellation during a call"])(
    "keep the guarantees in every order: %s",
    async (name) => {
      const explored = await theatre.exhaust(name, { faults: 0, ticks: 0 });
      expect(explored).toMatchObject({ failure: null, complete: true });
    },
  );

  test("keep the guarantees in random larger cases", async () => {
    for (let seed = 1; seed <= 150; seed++) expect(await theatre.seed(seed)).toBe(null);
  });

  test.each(["two transfers of one entry", "a transfer during a transfer and its undo"])(
    "keep a person in one line: %s",
    async (name) => {
      for (let seed = 1; seed <= 40; seed++) {
        expect(await theatre.walk(name, { faults: 2, ticks: 1 }, seed)).toBe(null);
      }
    },
  );

  test.each([...mutants, withoutClaim])("violate them if $what", async (mutant) => {
    const { atEnd, end } = storeEnds();
    try {
      const broken = new Theatre("mongo", atEnd, mutant);
      let failure = null;
      for (let seed = 1; seed <= 300 && !failure; seed++) {
        failure = await broken.walk("a third request after two", { faults: 1, ticks: 1 }, seed);
      }
      expect(failure?.wrong.join()).toMatch(/more than one entry|answers/);
    } finally {
      await end();
    }
  });

  test("violate them if a read is cached without the version of its line", async () => {
    const { atEnd, end } = storeEnds();
    try {
      const broken = new Theatre("mongo", atEnd, staleCache);
      const { failure } = await broken.exhaust(readTwice, { faults: 0, ticks: 0 }, 100);
      expect(failure?.wrong.join()).toContain("after it was canceled");
    } finally {
      await end();
    }
  });

  test.each(found)("pass a schedule that once failed: $what", async ({ schedule }) => {
    expect(await theatre.replay(schedule)).toBe(null);
  });
});
