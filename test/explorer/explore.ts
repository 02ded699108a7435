/**
 * A possible next event. Two steps that share no data, or only read it, lead to the same state in either order.
 */
export interface Step {
  /** The same in every schedule: `one: insert entries`. */
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Runs it. Resolves when everything is idle again. */
  readonly take: () => Promise<void>;
}

/** One run of a case. */
export interface Run {
  /** The possible next steps in a fixed order. Empty when the run is over. */
  steps(): readonly Step[];
  /** Returns what is wrong with the results; null if nothing is. */
  end(): Promise<string | null>;
  /** Completes all pending work without checks. */
  abandon(): Promise<void>;
}

type StepFacts = Omit<Step, "take">;

/** The result of an exploration. */
export interface Explored {
  /** The number of schedules that ran to their end and were checked. */
  readonly schedules: number;
  /** The first schedule that failed, with what is wrong; null if none did. */
  readonly failure: { readonly schedule: readonly string[]; readonly wrong: string } | null;
}

/** A position in the explored schedule. */
interface Place {
  readonly steps: readonly StepFacts[];
  /** Steps that lead to no new state here, by name. */
  readonly asleep: Map<string, StepFacts>;
  chosen: StepFacts;
}

/**
 * Runs every schedule of a case, depth first, until one fails, or at most `most`. Runs only one of the schedules that differ in
 * the order of independent steps (sleep sets, as Godefroid describes them).
 */
export async function explore(
  begin: () => Promise<Run>,
  most = Number.POSITIVE_INFINITY,
): Promise<Explored> {
  const way: Place[] = [];
  for (let schedules = 0; ; ) {
    const run = await begin();
    if (await runAlong(way, run)) {
      schedules++;
      const wrong = await run.end();
      const schedule = way.map(({ chosen }) => chosen.name);
      if (wrong !== null) return { schedules, failure: { schedule, wrong } };
    }
    if (!goBack(way) || schedules >= most) return { schedules, failure: null };
  }
}

/** Runs the chosen steps, then the first new one at each position. False when none is new. */
async function runAlong(way: Place[], run: Run): Promise<boolean> {
  for (let depth = 0; ; depth++) {
    const steps = run.steps();
    if (steps.length === 0) return true;
    const place = way[depth] ?? newPlace(steps, way[depth - 1]);
    if (!place) {
      await run.abandon();
      return false;
    }
    way[depth] = place;
    const step = steps.find(({ name }) => name === place.chosen.name);
    if (!step) throw new Error(`the step "${place.chosen.name}" cannot happen again`);
    await step.take();
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

/** Whether the order of two steps matters. */
function areDependent(a: StepFacts, b: StepFacts): boolean {
  return (
    a.writes.some((what) => b.writes.includes(what) || b.reads.includes(what)) ||
    a.reads.some((what) => b.writes.includes(what))
  );
}
