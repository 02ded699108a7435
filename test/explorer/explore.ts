import type { Step } from "./gate.js";

type StepFacts = Omit<Step, "take">;

/** One run of a case. */
export interface Run {
  /** The possible next steps. Resolves when every operation waits for one or has ended. */
  steps(): Promise<readonly Step[]>;
  /** Returns what is wrong with the results; null if nothing is. */
  end(): Promise<string | null>;
}

/** The result of an exploration. */
export interface Explored {
  /** The number of orders that ran to their end and were checked. */
  readonly orders: number;
  /** The first order that failed, with what is wrong; null if none did. */
  readonly failure: { readonly order: readonly string[]; readonly wrong: string } | null;
}

/** A position in the explored order. */
interface Place {
  readonly steps: readonly StepFacts[];
  /** Steps that lead to no new state here, by name. */
  readonly asleep: Map<string, StepFacts>;
  chosen: StepFacts;
}

/**
 * Runs every order of the steps, depth first, until one fails. Of the orders that differ only in independent steps it
 * runs one (sleep sets, as Godefroid describes them).
 */
export async function explore(begin: () => Promise<Run>): Promise<Explored> {
  const way: Place[] = [];
  for (let orders = 0; ; ) {
    const run = await begin();
    if (await runAlong(way, run)) {
      orders++;
      const wrong = await run.end();
      const order = way.map(({ chosen }) => chosen.name);
      if (wrong !== null) return { orders, failure: { order, wrong } };
    }
    if (!goBack(way)) return { orders, failure: null };
  }
}

/** Takes the chosen steps, then the first new one at each position. False when none is new. */
async function runAlong(way: Place[], run: Run): Promise<boolean> {
  for (let depth = 0; ; depth++) {
    const steps = await run.steps();
    if (steps.length === 0) return true;
    const place = way[depth] ?? newPlace(steps, way[depth - 1]);
    if (!place) return false;
    way[depth] = place;
    const step = steps.find(({ name }) => name === place.chosen.name);
    if (!step) throw new Error(`the step "${place.chosen.name}" cannot happen again`);
    step.take();
  }
}

function newPlace(steps: readonly Step[], before: Place | undefined): Place | null {
  const asleep = new Map(
    [...(before?.asleep ?? [])].filter(
      ([, step]) => before && step !== before.chosen && !areDependent(step, before.chosen),
    ),
  );
  const chosen = steps.find(({ name }) => !asleep.has(name));
  return chosen ? { steps, asleep, chosen } : null;
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

/** Whether the order of two steps matters. */
function areDependent(a: StepFacts, b: StepFacts): boolean {
  return a.table === b.table && (a.isWrite || b.isWrite);
}
