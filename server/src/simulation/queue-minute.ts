import type { SeededRandom } from "../lib/seeded-random.js";
import type { Entry } from "../rules/records.js";

/** A queue at the beginning of a minute. */
export interface QueueState {
  /** Whether it takes tokens. */
  readonly open: boolean;
  /** The first hundred of those who wait, in token order. */
  readonly line: readonly Entry[];
  readonly inService: readonly Entry[];
}

/** What happens to a person in a queue. `call` concerns whoever is next. */
export type Act =
  | { readonly act: "arrive" | "call" }
  | { readonly act: "complete" | "no-show" | "cancel"; readonly entry: Entry };

/** The service time in minutes of a person without a service that has one. */
const usualMinutes = 8;

/** From this number of waiting people on, most of those who come to the door leave again. */
const longLine = 8;

/**
 * Decides what happens in a queue within one minute: people are done, give up, are called or do not come, and arrive.
 * It depends on nothing but the state of the queue and the random numbers, so the people need not be remembered.
 */
export function actsOf({ open, line, inService }: QueueState, random: SeededRandom): Act[] {
  const acts: Act[] = [];
  const work = [...inService, ...line].map(({ workMinutes }) =>
    Math.max(1, workMinutes ?? usualMinutes),
  );
  const meanWork = work.reduce((sum, one) => sum + one, 0) / work.length || usualMinutes;
  const done = inService.filter((_, at) => random.chance(1 / (work[at] ?? usualMinutes)));
  for (const entry of done) acts.push({ act: "complete", entry });

  const [next, ...others] = line;
  if (next && done.length === inService.length) {
    acts.push(random.chance(0.06) ? { act: "no-show", entry: next } : { act: "call" });
  }
  const leaving = others.find(() => random.chance(0.004));
  if (leaving) acts.push({ act: "cancel", entry: leaving });
  if (open && random.chance((line.length < longLine ? 0.95 : 0.3) / meanWork))
    acts.push({ act: "arrive" });
  return acts;
}
