import { afterAll, describe, expect, test, vi } from "vitest";
import { found } from "./found.js";
import { mutants, remembering, withoutClaim } from "./mutants.js";
import { storeEnds, Theatre } from "./theatre.js";

/*
 * Two instances on one MongoDB database; every command waits on the wire for its turn. `npm run explore`
 * goes further.
 */
vi.setConfig({ testTimeout: 600_000 });

const lookedAtTwice = "a person who is looked at before and after a cancellation elsewhere";

const { atEnd, end } = storeEnds();
const theatre = new Theatre("mongo", atEnd);
afterAll(end);

describe("two instances on one database, in whatever order their commands come", () => {
  test.each(["two requests with one key", "a cancellation beside a call"])(
    "keep their promises in every order: %s",
    async (name) => {
      const explored = await theatre.exhaust(name, { faults: 0, ticks: 0 });
      expect(explored).toMatchObject({ failure: null, complete: true });
    },
  );

  test("keep them in larger cases, of which chance chooses some", async () => {
    for (let seed = 1; seed <= 150; seed++) expect(await theatre.seed(seed)).toBe(null);
  });

  test.each(["two moves of one person", "a move that is taken back beside a move by another"])(
    "keep a person in one line: %s",
    async (name) => {
      for (let seed = 1; seed <= 40; seed++) {
        expect(await theatre.walk(name, { faults: 2, ticks: 1 }, seed)).toBe(null);
      }
    },
  );

  test.each([...mutants, withoutClaim])("do not, where $what", async (mutant) => {
    const { atEnd, end } = storeEnds();
    try {
      const broken = new Theatre("mongo", atEnd, mutant);
      let failure = null;
      for (let seed = 1; seed <= 300 && !failure; seed++) {
        failure = await broken.walk("a third request after the two", { faults: 1, ticks: 1 }, seed);
      }
      expect(failure?.wrong.join()).toMatch(/more than one entry|answers/);
    } finally {
      await end();
    }
  });

  test("do not, where what was read is remembered without the version of its line", async () => {
    const { atEnd, end } = storeEnds();
    try {
      const broken = new Theatre("mongo", atEnd, remembering);
      const { failure } = await broken.exhaust(lookedAtTwice, { faults: 0, ticks: 0 }, 100);
      expect(failure?.wrong.join()).toContain("after it was canceled");
    } finally {
      await end();
    }
  });

  test.each(found)("go right where they once went wrong: $what", async ({ schedule }) => {
    expect(await theatre.replay(schedule)).toBe(null);
  });
});
