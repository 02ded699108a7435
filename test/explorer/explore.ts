import { areDependent, type Begin, type Run, type Step, type StepFacts } from "./step.js";

/** A schedule under which something went wrong. */
export interface Failure {
  readonly schedule: readonly string[];
  readonly wrong: readonly string[];
}

/** What an exploration came to. */
export interface Explored {
  /** Schedules that ran to their end and were checked. */
  readonly schedules: number;
  /** Schedules that were left because all that could follow was known from another one. */
  readonly pruned: number;
  /** Whether every schedule was run. */
  readonly complete: boolean;
  readonly failure: Failure | null;
}

interface ExploreOptions {
  /** When to stop although schedules are left. Default: never. */
  readonly most?: number;
}

/** A place on the way of the schedule that is explored. */
interface Place {
  readonly steps: readonly StepFacts[];
  /** Steps that lead to nothing new here, by name. */
  readonly asleep: Map<string, StepFacts>;
  chosen: StepFacts;
}

/**
 * Runs every schedule of a case, depth first, until one fails. Of schedules that differ only in the order
 * of independent steps one is run (sleep sets, as Godefroid describes them).
 */
export async function exhaust(
  begin: Begin,
  { most = Number.POSITIVE_INFINITY }: ExploreOptions = {},
): Promise<Explored> {
  const way: Place[] = [];
  let schedules = 0;
  let pruned = 0;
  for (;;) {
    const wrong = await runAlong(way, await begin());
    if (wrong === null) pruned++;
    else schedules++;
    if (wrong && wrong.length > 0) {
      const schedule = way.map(({ chosen }) => chosen.name);
      return { schedules, pruned, complete: false, failure: { schedule, wrong } };
    }
    if (!goBack(way)) return { schedules, pruned, complete: true, failure: null };
    if (schedules >= most) return { schedules, pruned, complete: false, failure: null };
  }
}

/** Takes the steps chosen so far, then the first new one at each place; null when none is new. */
async function runAlong(way: Place[], run: Run): Promise<readonly string[] | null> {
  for (let depth = 0; ; depth++) {
    const steps = run.steps();
    if (steps.length === 0) return run.end();
    const place = way[depth] ?? newPlace(steps, way[depth - 1]);
    if (!place) {
      await run.abandon();
      return null;
    }
    way[depth] = place;
    await stepNamed(steps, place.chosen.name).take();
  }
}

function newPlace(steps: readonly Step[], before: Place | undefined): Place | null {
  const asleep = new Map(
    [...(before?.asleep ?? [])].filter(
      ([, step]) => before && step !== before.chosen && !areDependent(step, before.chosen),
    ),
  );
  const facts = steps.map(({ name, reads, writes }) => ({ name, reads, writes }));
  const chosen = facts.find(({ name }) => !asleep.has(name));
  return chosen ? { steps: facts, asleep, chosen } : null;
}

/** Chooses the next new step at the last place that has one; false when there is none. */
function goBack(way: Place[]): boolean {
  for (let place = way.at(-1); place; place = way.at(-1)) {
    const { asleep, chosen, steps } = place;
    asleep.set(chosen.name, chosen);
    const next = steps.find(({ name }) => !asleep.has(name));
    if (next) {
      place.chosen = next;
      return true;
    }
    way.pop();
  }
  return false;
}

function stepNamed(steps: readonly Step[], name: string): Step {
  const step = steps.find((step) => step.name === name);
  if (step) return step;
  const there = steps.map((step) => step.name).join(", ");
  throw new Error(`the step "${name}" cannot happen here; what can: ${there}`);
}

/** How much seldomer than any other a rare step is chosen. */
const rarity = 8;

function chosen(steps: readonly Step[], random: () => number): Step | undefined {
  const weighted = steps.flatMap((step) => (step.isRare ? [step] : Array(rarity).fill(step)));
  return weighted[Math.floor(random() * weighted.length)];
}

/** Runs one schedule that chance chooses. */
export async function walk(run: Run, random: () => number): Promise<Failure | null> {
  const schedule: string[] = [];
  for (;;) {
    const step = chosen(run.steps(), random);
    if (!step) break;
    schedule.push(step.name);
    await step.take();
  }
  const wrong = await run.end();
  return wrong.length > 0 ? { schedule, wrong } : null;
}

/** Runs one schedule again. */
export async function replay(run: Run, schedule: readonly string[]): Promise<Failure | null> {
  try {
    for (const name of schedule) await stepNamed(run.steps(), name).take();
  } catch (error) {
    await run.abandon();
    throw error;
  }
  const wrong = await run.end();
  return wrong.length > 0 ? { schedule, wrong } : null;
}

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
