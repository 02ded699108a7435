import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { readingFaults, stateFaults, windowFaults } from "./checks.js";
import { settle } from "./moment.js";
import { judge } from "./oracle.js";
import { inWords, ownerActs, perform, prepareAll } from "./owner.js";
import { type PlaceName, startPlace } from "./place.js";
import { asks, type Creation, type KnownCursor, render } from "./requests.js";
import { at, createWorld, plan, readTruth, send, type ValueOf, type World } from "./world.js";

/*
 * The model: businesses, rounds of requests that all differ, and an oracle that knows the document. `npm run model`
 * runs it for longer; see run.js for its options.
 */

const round = fc.record({ asks, acts: ownerActs, reader: fc.nat(14) });
const rounds = fc.array(round, { minLength: 1, maxLength: 6, size: "max" });

/** What earlier rounds of a case left for later ones. */
interface Past {
  readonly cursors: KnownCursor[];
  readonly keyed: Creation[];
}

/**
 * Sends all requests and acts of a round at one moment, judges each answer, and checks everything that must hold then.
 * The world becomes what it is. Returns what is wrong.
 */
async function playRound(
  world: World,
  { asks, acts, reader }: ValueOf<typeof round>,
  { cursors, keyed }: Past,
): Promise<string[]> {
  const prepared = prepareAll(world, acts);
  const requests = asks.map((ask) => render(world, ask, cursors, keyed));
  const [asked, done] = await Promise.all([
    Promise.all(
      requests.map(async (sent) => {
        const { business, ask, server, method, path, options } = sent;
        const caller = { business, key: ask.key, server };
        return { sent, exchange: await send(world, caller, method, path, options) };
      }),
    ),
    Promise.all(prepared.map((one) => perform(world, one))),
  ]);
  const judged = world.businesses.map(async (before, index) => {
    await world.place.store.businesses.change(before.id, { apiAccess: true }); // the model reads with a key
    const truth = await readTruth(world, before);
    const ofBusiness = asked.filter(({ sent }) => sent.business === before);
    const acted = done.filter(({ business }) => business === before);
    const { moment, faults } = settle(before, ofBusiness, acted, truth);
    world.businesses[index] = { ...moment.after, apiAccess: true };
    if (faults.length === 0) faults.push(...stateFaults(moment.after, truth));
    return [...faults, ...ofBusiness.flatMap((one) => judge(one, moment, world) ?? [])];
  });
  const faults = [...(await Promise.all(judged)).flat(), ...windowFaults(world)];
  if (faults.length > 0) return [...faults, ...done.map(inWords)];
  const business = at(world.businesses, reader);
  const { id } = at(business.queues, reader);
  return readingFaults(world, business, id, 1 + (reader % 4), cursors);
}

const { MODEL_SECONDS = "9", MODEL_STORE, MODEL_SEED } = process.env;
const usual: PlaceName[] =
  process.env.TEST_STORE === "mongo" ? ["mongo-2"] : ["memory", "sqlite", "sqlite-2"];
const chosen = MODEL_STORE ? [MODEL_STORE as PlaceName] : usual;

test.for(chosen)("every answer is one that the document allows, on %s", async (name) => {
  const place = await startPlace(name, onTestFinished);
  let [cases, requests] = [0, 0];
  const property = fc.asyncProperty(plan, rounds, async (plans, rounds) => {
    cases += 1;
    const world = await createWorld(place, plans);
    const past: Past = { cursors: [], keyed: [] };
    for (const one of rounds) {
      const faults = await playRound(world, one, past);
      if (faults.length > 0) throw new Error(faults.slice(0, 8).join("\n"));
    }
    requests += world.exchanges.length;
  });
  const endsAt = Date.now() + Number(MODEL_SECONDS) * 1_000;
  for (let seed = Number(MODEL_SEED ?? randomInt(2 ** 31)); ; seed++) {
    // A race does not always repeat, so only a case that is played again is made smaller.
    const how = MODEL_SEED ? { interruptAfterTimeLimit: 60_000 } : { endOnFailure: true };
    const { failed, errorInstance } = await fc.check(property, { seed, numRuns: 1, ...how });
    const again = `Again: npm run model -- --store ${name} --seed ${seed}`;
    expect(failed ? `${(errorInstance as Error).message}\n${again}` : null).toBe(null);
    if (MODEL_SEED || Date.now() > endsAt) break;
  }
  console.log(`${name}: ${cases} cases, ${requests} requests`);
});
