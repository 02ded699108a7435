import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { auditFaults, lineFaults, readingFaults, replayFaults, windowFaults } from "./checks.js";
import { type Asked, momentOf, readTruth, settle } from "./moment.js";
import { judge } from "./oracle.js";
import { type Act, acts, type Done, inWords, perform, prepare, switchOn } from "./owner.js";
import { sendOne, type Walked, walk, walkPages } from "./pages.js";
import { type PlaceName, placeNames, startPlace } from "./place.js";
import { type Ask, asks, at, type Creation, type KnownCursor, renderAll } from "./requests.js";
import { createWorld, type Person, plan, type World } from "./world.js";

/*
 * The model: businesses, rounds of requests that all differ, and an oracle that knows the document. `npm run model`
 * runs it for longer; see run.js for its options.
 */

const { MODEL_SECONDS = "9", MODEL_STORE, MODEL_SEED, MODEL_PATH } = process.env;

const round = fc.record({ kind: fc.constant("round"), asks, acts, reader: fc.nat(4) });
const pages = fc.record({ kind: fc.constant("walk"), walk });
const phases = fc.array(
  fc.oneof({ weight: 3, arbitrary: round }, { weight: 1, arbitrary: pages }),
  { minLength: 1, maxLength: 4 },
);
type Round = typeof round extends fc.Arbitrary<infer Value> ? Value : never;

class Case {
  readonly cursors: KnownCursor[] = [];
  readonly keyed: Creation[] = [];

  constructor(readonly world: World) {}

  /** Learns the times that the import invented. */
  async begin(): Promise<void> {
    for (const business of this.world.businesses) {
      const truth = await readTruth(this.world, business);
      for (const { entries } of truth.lines) {
        for (const { id, issuedAt, startedAt, completedAt, canceledAt } of entries) {
          const person = business.people.get(id);
          if (!person) throw new Error(`the import made ${id} out of nothing`);
          business.people.set(id, {
            ...person,
            issuedAt,
            startedAt,
            completedAt,
            canceledAt,
          } satisfies Person);
        }
      }
      must(lineFaults(business, truth));
    }
  }

  /** Sends all requests and acts of a round at one moment. */
  async round({ asks, acts, reader }: Round): Promise<void> {
    const { world } = this;
    const prepared = (
      await Promise.all(oneForEachAppointment(world, acts).map((act) => prepare(world, act)))
    ).flat();
    const sent = renderAll(world, asks as (Ask | null)[], this.cursors, this.keyed);
    const [asked, done] = await Promise.all([
      Promise.all(
        sent.map(
          async (one): Promise<Asked> => ({ sent: one, exchange: await sendOne(world, one) }),
        ),
      ),
      Promise.all(prepared.map(perform)),
    ]);
    await this.conclude(asked, done, prepared.map(inWords));
    must(await replayFaults(world, asked));
    const business = at(world.businesses, reader);
    const queue = Object.values(business.queues).filter(({ exists }) => exists);
    must(await readingFaults(world, business, at(queue, reader).id, reader, this.cursors));
  }

  /** Judges what was answered, and checks everything that must hold now. */
  async conclude(
    asked: readonly Asked[],
    done: readonly Done[],
    context: readonly string[] = [],
  ): Promise<void> {
    const faults: string[] = [];
    for (const business of this.world.businesses) {
      const moment = momentOf(business, done, asked);
      await switchOn(business);
      const truth = await readTruth(this.world, business);
      faults.push(...settle(moment, truth, done));
      faults.push(...moment.asked.flatMap((one) => judge(one, moment, this.world) ?? []));
      if (faults.length === 0) faults.push(...lineFaults(business, truth));
    }
    faults.push(...windowFaults(this.world));
    must(faults, context);
  }

  async walked(walked: Walked): Promise<void> {
    const { business, queueId, status, seen, refusal, asked, done } = walked;
    must(refusal === null ? [] : [refusal]);
    const before = new Map(business.people);
    await this.conclude(asked, done);
    const stayed = [...business.people.values()]
      .filter(({ id }) => {
        const states = [before.get(id), business.people.get(id)];
        return states.every(
          (one) =>
            one?.queueId === queueId &&
            one.date === business.today &&
            (status === null || one.status === status),
        );
      })
      .sort((a, b) => a.tokenNumber - b.tokenNumber)
      .map(({ id }) => id);
    const met = seen.filter((id) => stayed.includes(id));
    must(
      met.join() === stayed.join() ? [] : [`the pages showed ${seen}, and these stayed: ${stayed}`],
    );
  }
}

/** Two acts on one appointment would not be independent. */
function oneForEachAppointment(world: World, acts: readonly (Act | null)[]): Act[] {
  const taken = new Set<string>();
  return acts.filter((act): act is Act => {
    if (!act || !["check-in", "status", "drop"].includes(act.deed.does)) return act !== null;
    const { appointments } = at(world.businesses, act.business);
    const { who } = act.deed as { who: number };
    const name = `${act.business} ${who % Math.max(1, appointments.length)}`;
    return !taken.has(name) && taken.add(name) !== undefined;
  });
}

function must(faults: readonly string[], context: readonly string[] = []): void {
  if (faults.length > 0) throw new Error([...faults.slice(0, 5), ...context].join("\n"));
}

const chosen = MODEL_STORE
  ? [MODEL_STORE as PlaceName]
  : placeNames.filter((name) => !name.startsWith("mongo"));

test.for(chosen)("every answer is one that the document allows, on %s", async (name) => {
  const place = await startPlace(name, onTestFinished);
  let cases = 0;
  const property = fc.asyncProperty(plan, phases, async (plans, phases) => {
    cases += 1;
    const world = await createWorld(place, plans);
    const one = new Case(world);
    await one.begin();
    for (const phase of phases) {
      if (phase.kind === "round") await one.round(phase);
      else if (!process.env.NOWALK) await one.walked(await walkPages(world, phase.walk));
    }
    const t0 = Date.now();
    must(await auditFaults(world));
    console.log(
      "case",
      world.exchanges.length,
      "requests",
      Date.now() - world.startedAt,
      "ms, of which audit",
      Date.now() - t0,
      phases.length,
    );
  });
  const limits = { interruptAfterTimeLimit: Number(MODEL_SECONDS) * 1_000, numRuns: 1_000_000 };
  const replay = {
    ...(MODEL_SEED && { seed: Number(MODEL_SEED) }),
    ...(MODEL_PATH && { path: MODEL_PATH }),
  };
  const result = await fc.check(property, { ...limits, ...replay, endOnFailure: false });
  console.log(`${name}: seed ${result.seed}, ${cases} cases`);
  const replayed = `npm run model -- --store ${name} --seed ${result.seed} --path ${result.counterexamplePath}`;
  expect(result.failed ? `${(result.errorInstance as Error)?.message}\n\n${replayed}` : null).toBe(
    null,
  );
});
