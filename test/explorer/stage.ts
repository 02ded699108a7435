import { isDeepStrictEqual } from "node:util";
import { openStore } from "../../server/src/open-store.js";
import type { Store } from "../../server/src/operations/store.js";
import { noRandom, start } from "../store/support/adapters.js";
import { acts, begin, createAgain, seen } from "./acts.js";
import type { Run, Step } from "./explore.js";
import { type Gate, type Held, rest } from "./gate.js";

/** Two instances on one database, whose commands are held. */
export interface Scene {
  instances: readonly { readonly store: Store; readonly gate: Gate }[];
  /** Another instance without held commands. */
  readonly observer: Store;
  /** Removes all data. */
  empty(): Promise<void>;
}

/** What happens in a run: an act of each instance, and the maximum number of faults of the first. */
export interface Case {
  readonly acts: readonly [string, string];
  readonly faults: number;
}

interface Attempt {
  readonly act: string;
  readonly gate: Gate;
  state: "open" | "done" | "unknown";
  result: unknown;
}

const fault = "fault";

/** Starts a run of a case. */
export async function stage(scene: Scene, { acts: names, faults }: Case): Promise<Run> {
  await scene.empty();
  await begin(
    scene.observer,
    scene.instances.map(({ store }) => store),
  );
  const attempts = scene.instances.map(({ store, gate }, place): Attempt => {
    gate.close();
    const act = names[place] ?? "";
    const attempt: Attempt = { act, gate, state: "open", result: null };
    acts[act]?.(store, gate.name).then(
      (result) => Object.assign(attempt, { state: "done", result }),
      (error) => Object.assign(attempt, { state: "unknown", result: error }),
    );
    return attempt;
  });
  const isStill = () =>
    attempts.every(({ state, gate }) => state !== "open" || gate.held.length > 0);
  /** Commands that failed for their sender and can still arrive. */
  const late = new Map<string, Held>();
  const dead = new Set<Attempt>();
  let faultsLeft = faults;
  await rest(isStill);

  const step = (facts: Omit<Step, "take">, take: () => Promise<void> | void): Step => ({
    ...facts,
    take: async () => {
      await take();
      await rest(isStill);
    },
  });

  function stepsOf(attempt: Attempt, { name, touches, isWrite, ...held }: Held): Step[] {
    const { gate } = attempt;
    const writes = isWrite ? [touches] : [];
    const pass = step({ name, reads: [touches, gate.name], writes }, held.pass);
    if (!isWrite || faultsLeft === 0 || attempt !== attempts[0]) return [pass];
    const faulty = (what: string, wrote: readonly string[], take: () => Promise<void> | void) =>
      step(
        { name: `${name} ${what}`, reads: [touches], writes: [...wrote, gate.name, fault] },
        async () => {
          faultsLeft--;
          await take();
        },
      );
    const die = () => {
      Object.assign(attempt, { state: "unknown", result: "killed" });
      dead.add(attempt);
    };
    return [
      pass,
      faulty("is lost", writes, held.lose),
      faulty("comes late", [], () => {
        held.fail();
        late.set(name, { name, touches, isWrite, ...held });
      }),
      faulty("is the last", writes, async () => {
        await held.carryOut();
        die();
      }),
      faulty("is never sent", [], die),
    ];
  }

  function steps(): Step[] {
    if (attempts.every(({ state }) => state !== "open")) return [];
    const ofAttempts = attempts
      .filter(({ state }) => state === "open")
      .flatMap((attempt) => attempt.gate.held.flatMap((held) => stepsOf(attempt, held)));
    const arrivals = [...late].map(([name, { touches, carryOut }]) =>
      step({ name: `${name} arrives`, reads: [touches], writes: [touches] }, async () => {
        late.delete(name);
        await carryOut();
      }),
    );
    return [...ofAttempts, ...arrivals];
  }

  async function abandon(): Promise<void> {
    for (const attempt of attempts) if (!dead.has(attempt)) await attempt.gate.open();
    await rest(() => attempts.every(({ state }) => state !== "open"));
    for (const held of late.values()) await held.carryOut();
    late.clear();
  }

  return {
    steps,
    abandon,
    async end() {
      await abandon();
      const again = await createAgain(scene.observer, "again");
      return compare(attempts, again, await seen(scene.observer));
    },
  };
}

/** The results of acts in sequence on a store in memory, which is the reference. */
async function inSequence(sequence: readonly Attempt[]) {
  const store = await openStore("memory:", { clock: () => start, random: noRandom });
  await begin(store, [store, store]);
  const results = new Map<Attempt, unknown>();
  for (const attempt of sequence) {
    results.set(attempt, await acts[attempt.act]?.(store, attempt.gate.name));
  }
  return { results, again: await createAgain(store, "again"), state: await seen(store) };
}

/**
 * Compares the results and what is stored with those of the acts in some sequence. An act with an unknown
 * result has happened, or not. Returns what is wrong.
 */
async function compare(
  attempts: readonly Attempt[],
  again: unknown,
  state: unknown,
): Promise<string | null> {
  const [one, other] = attempts as [Attempt, Attempt];
  const possible = [[one, other], [other, one], [one], [other], []].filter((sequence) =>
    attempts.every((attempt) => attempt.state === "unknown" || sequence.includes(attempt)),
  );
  const wrong: string[] = [];
  for (const sequence of possible) {
    const expected = await inSequence(sequence);
    const known = sequence.filter((attempt) => attempt.state === "done");
    const results = known.map((attempt) => [attempt.result, expected.results.get(attempt)]);
    const pairs = [...results, [again, expected.again], [state, expected.state]];
    const differing = pairs.filter(([found, wanted]) => !isDeepStrictEqual(found, wanted));
    if (differing.length === 0) return null;
    const order = sequence.map(({ act }) => act).join(", ");
    wrong.push(
      `not as after "${order}": found ${JSON.stringify(differing[0]?.[0])}, not ${JSON.stringify(differing[0]?.[1])}`,
    );
  }
  return wrong.join("\n");
}
