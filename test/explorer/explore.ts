import type { Step } from "./gate.js";

/** One run of a case: the possible next steps, none when all has ended, and then what is wrong; null if nothing is. */
export interface Run {
  steps(): Promise<readonly Step[]>;
  wrong(): Promise<string | null>;
}

/** A position in the explored order, and the steps that lead to no new state there. */
interface Place {
  readonly steps: readonly Step[];
  readonly asleep: ReadonlySet<string>;
  readonly chosen: Step;
}

/**
 * Runs every order of the steps, depth first, until one fails. Of the orders that differ only in independent steps it
 * runs one (sleep sets, as Godefroid describes them). Returns how many orders ended, and the first that failed.
 */
export async function explore(begin: () => Promise<Run>) {
  let way: Place[] = [];
  for (let orders = 0; ; ) {
    const run = await begin();
    if (await runAlong(way, run)) {
      orders++;
      const wrong = await run.wrong();
      const order = way.map(({ chosen }) => chosen.name);
      if (wrong !== null) return { orders, failure: { order, wrong } };
    }
    way = nextWay(way);
    if (way.length === 0) return { orders, failure: null };
  }
}

/** Takes the chosen steps, then the first new one at each position. False when none is new. */
async function runAlong(way: Place[], run: Run): Promise<boolean> {
  for (let depth = 0; ; depth++) {
    const steps = await run.steps();
    if (steps.length === 0) return true;
    const place = way[depth] ?? placeOf(steps, asleepAfter(way[depth - 1], steps));
    if (!place) return false;
    way[depth] = place;
    steps.find(({ name }) => name === place.chosen.name)?.take();
  }
}

/** The steps that lead to no new state after a position, because the chosen one made no difference to them. */
function asleepAfter(before: Place | undefined, steps: readonly Step[]): Set<string> {
  const isAsleep = ({ name, table, isWrite }: Step) =>
    before?.asleep.has(name) &&
    (table !== before.chosen.table || !(isWrite || before.chosen.isWrite));
  return new Set(steps.filter(isAsleep).map(({ name }) => name));
}

function placeOf(steps: readonly Step[], asleep: ReadonlySet<string>): Place | null {
  const chosen = steps.find(({ name }) => !asleep.has(name));
  return chosen ? { steps, asleep, chosen } : null;
}

/** The start of the next order: up to the last position that has another new step. Empty if there is none. */
function nextWay(way: readonly Place[]): Place[] {
  const last = way.at(-1);
  if (!last) return [];
  const next = placeOf(last.steps, new Set([...last.asleep, last.chosen.name]));
  return next ? [...way.slice(0, -1), next] : nextWay(way.slice(0, -1));
}
