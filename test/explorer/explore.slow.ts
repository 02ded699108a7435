import { afterAll, expect, test } from "vitest";
import { situations } from "./cases.js";
import { storeEnds, storeNames, storeOf, Theatre, type Trouble } from "./theatre.js";

/*
 * `npm run explore`: every schedule of the small cases, and random schedules of the large ones. The options of
 * the command line come from the environment; see vitest.explore.config.ts.
 */
const {
  EXPLORE_REPLAY: line,
  EXPLORE_STORE,
  EXPLORE_SEEDS = "10000",
  EXPLORE_FROM = "1",
} = process.env;
const { EXPLORE_MOST = "2000", EXPLORE_CASES } = process.env;

const { atEnd, end } = storeEnds();
afterAll(end);

const stores = storeNames.filter((name) => (EXPLORE_STORE ?? name) === name);

/** The faults in the small cases. */
const troubles: readonly Trouble[] = [
  { faults: 0, ticks: 1 },
  { faults: 1, ticks: 0 },
  { faults: 1, ticks: 1 },
  { faults: 2, ticks: 0 },
  { faults: 2, ticks: 1 },
];

if (line) {
  test("the schedule", async () => {
    expect(await new Theatre(storeOf(line), atEnd).replay(line)).toBe(null);
  });
} else {
  for (const store of stores) explore(store);
}

function explore(store: (typeof storeNames)[number]): void {
  const theatre = new Theatre(store, atEnd);
  const small = situations
    .filter(({ name }) => (EXPLORE_CASES ?? name) === name)
    .flatMap(({ name }) => troubles.map((trouble) => ({ name, ...trouble })));

  test.each(small)(
    `${store}: $name, $faults faults, $ticks ticks`,
    async ({ name, ...trouble }) => {
      const began = performance.now();
      const explored = await theatre.exhaust(name, trouble, Number(EXPLORE_MOST));
      const { schedules, pruned, complete, failure } = explored;
      const count = `${schedules} schedules run, ${pruned} pruned, ${complete ? "all" : "the first"}`;
      say(`${store} | ${name} | ${trouble.faults} | ${trouble.ticks}: ${count}`, began);
      expect(failure).toBe(null);
      if (complete) return;
      // If there are too many schedules, run the same number of random ones, because the first ones are similar.
      for (let seed = 1; seed <= Number(EXPLORE_MOST); seed++) {
        expect(await theatre.walk(name, trouble, seed)).toBe(null);
      }
      say(
        `${store} | ${name} | ${trouble.faults} | ${trouble.ticks}: and ${EXPLORE_MOST} by chance`,
        began,
      );
    },
  );

  test(`${store}: large cases`, async () => {
    const began = performance.now();
    const first = Number(EXPLORE_FROM);
    const last = first + Number(EXPLORE_SEEDS) - 1;
    for (let seed = first; seed <= last; seed++) {
      expect(await theatre.seed(seed)).toBe(null);
      if (seed % 500 === 0) say(`${store}: seeds ${first} to ${seed}`, began);
    }
    say(`${store}: seeds ${first} to ${last}`, began);
  });
}

function say(what: string, began: number): void {
  console.log(`${what}, ${Math.round((performance.now() - began) / 1000)} s`);
}
