import { areDependent, type Begin, type Run, type Step, type StepFacts } from "./step.js";

/** A schedule that failed. */
export interface Failure {
  readonly schedule: readonly string[];
  readonly wrong: readonly string[];
}

/** The result of an exploration. */
export interface Explored {
  /** The number of schedules that ran to their end and were checked. */
  readonly schedules: number;
  /** The number of schedules that were skipped because another one covers them. */
  readonly pruned: number;
  /** Whether every schedule was run. */
  readonly complete: boolean;
  readonly failure: Failure | null;
}

interface ExploreOptions {
  /** When to stop before all schedules have run. Default: never. */
  readonly most?: number;
}

/** A position in the explored schedule. */
interface Place {
  readonly steps: readonly StepFacts[];
  /** Steps that lead to no new state here, by name. */
  readonly asleep: Map<string, StepFacts>;
  chosen: StepFacts;
}

/**
 * Runs every schedule of a case, depth first, until one fails. Runs only one of the schedules that differ in
 * the order of independent steps (sleep sets, as Godefroid describes them).
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

/** Runs the chosen steps, then the first new one at each position. Null when none is new. */
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

/** Chooses the next new step at the last position that has one. False if there is none. */
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

/** How much less often a rare step is chosen than others. */
const rarity = 8;

function chosen(steps: readonly Step[], random: () => number): Step | undefined {
  const weighted = steps.flatMap((step) => (step.isRare ? [step] : Array(rarity).fill(step)));
  return weighted[Math.floor(random() * weighted.length)];
}

/** Runs one random schedule. */
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

/** Numbers from 0 up to 1. The same seed gives the same numbers (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
