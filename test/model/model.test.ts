import { randomInt } from "node:crypto";
import { inspect } from "node:util";
import { setBusiness } from "@queue-api/server";
import fc from "fast-check";
import { expect, test } from "vitest";
import { auditFaults, windowFaults } from "./checks.js";
import { judge, type Moment } from "./oracle.js";
import { acts, type Done, inWords, openForms, perform } from "./owner.js";
import { type PlaceName, startPlace } from "./place.js";
import {
  asks,
  type Begun,
  creating,
  type Exchange,
  placeOf,
  plain,
  render,
  type Sent,
  send,
  type World,
} from "./requests.js";
import { readPages, settle, withPeople } from "./round.js";
import { addBusinesses, at, type Business, peopleOf, plan, type ValueOf } from "./world.js";

/*
 * The model: businesses, rounds of requests that all differ, and an oracle that knows the document. `npm run model`
 * runs it for longer; see run.js for its options.
 */

const round = fc.record({ asks, acts, reader: fc.nat(7) });
/** Several, because what one round changes shows in a later one. */
const rounds = fc.array(round, { minLength: 3, maxLength: 6, size: "max" });

/** A moment in which nothing runs. */
function quiet(business: Business, { exchanges }: World): Moment {
  const people = [...business.people].map(([id, person]) => [id, [person]] as const);
  return { before: business, after: business, people: new Map(people), exchanges };
}

/** Judges requests that were sent while nothing ran. */
function judgeQuiet(world: World, exchanges: readonly Exchange[]): string[] {
  const moments = world.businesses.map((business) => quiet(business, world));
  return exchanges.flatMap((one) => judge(one, at(moments, one.sent.business.index)) ?? []);
}

async function sendAll(world: World, sent: readonly Sent[]): Promise<Exchange[]> {
  return Promise.all(sent.map((one) => send(world, one)));
}

/** Begins lists of a business: of a queue, of those who wait there, and of the appointments. */
async function beginLists(world: World, business: Business, queueId: string, limit: number) {
  const query = { date: business.today, limit: String(limit) };
  const lists = await Promise.all([
    readPages(world, business, "entries", queueId, query),
    readPages(world, business, "entries", queueId, { ...query, status: "WAITING" }),
    readPages(world, business, "appointments", null, query),
  ]);
  const pages = lists.flat();
  const begun = pages.flatMap(({ sent, answer }): Begun[] => {
    const last = (answer.data as { readonly id: string }[]).at(-1);
    const { nextCursor: cursor } = answer;
    return last && cursor !== null ? [{ sent, cursor, after: placeOf(last), last: last.id }] : [];
  });
  return { begun, faults: judgeQuiet(world, pages) };
}

/** Begins lists, sends all requests and acts of a round at one moment, and ends the lists. Returns what is wrong. */
async function playRound(
  world: World,
  { asks, acts, reader }: ValueOf<typeof round>,
): Promise<string[]> {
  const business = at(world.businesses, 0);
  const { id } = at(business.queues.slice(0, 2), reader); // the two that take people
  const { begun, faults } = await beginLists(world, business, id, 1 + (reader % 4));
  if (faults.length > 0) return faults;
  world.begun.push(...begun);
  const lasts = begun.map(({ last }) => last);
  const forms = await openForms(world, acts, lasts);
  const sent = asks.flatMap((ask) => (ask ? [render(world, ask)] : []));
  const [asked, done] = await Promise.all([sendAll(world, sent), Promise.all(forms.map(perform))]);
  const concluded = world.businesses.map((before) => conclude(world, before, asked, done));
  faults.push(...(await Promise.all(concluded)).flat());
  if (faults.length > 0) return [...faults, ...done.map(inWords)];
  const again = await sendAll(world, questions(world, id, begun, asked));
  return [...judgeQuiet(world, again), ...windowFaults(world)];
}

/** Judges what a business answered in a round, and what it shows now. The business becomes what it is. */
async function conclude(
  world: World,
  before: Business,
  asked: readonly Exchange[],
  done: readonly Done[],
): Promise<string[]> {
  // The model reads with a key.
  await setBusiness(world.place.store, before.slug, { apiAccess: true });
  const own = asked.filter(({ sent }) => sent.business === before);
  const acts = done.filter(({ business }) => business === before);
  const { moment, pages, faults } = await settle(world, before, own, acts);
  world.businesses[before.index] = { ...moment.after, apiAccess: true };
  faults.push(...own.flatMap((one) => judge(one, moment) ?? []));
  return faults.length > 0 ? faults : judgeQuiet(world, pages);
}

/**
 * What is asked after a round: the settings and counts, each person of a queue, the rest of each list that was begun before
 * the round, and each creation with a key once more, of another process.
 */
function questions(
  { businesses }: World,
  queueId: string,
  begun: readonly Begun[],
  asked: readonly Exchange[],
): Sent[] {
  const now = ({ index }: Business) => at(businesses, index);
  const settings = businesses.flatMap((business) => [
    plain(business, "services"),
    plain(business, "queues"),
    ...business.queues.map(({ id }) => plain(business, "queue", id)),
  ]);
  const people = businesses.flatMap((business) =>
    peopleOf(business)
      .filter((person) => person.queueId === queueId)
      .map(({ id }) => plain(business, "entry", id, {}, { server: 1 })),
  );
  const rests = begun.map(({ sent, cursor, after }) => {
    const { limit: _, ...query } = sent.query;
    return plain(now(sent.business), sent.op, sent.target, { ...query, cursor }, { after });
  });
  const replays = asked.flatMap(({ sent: { business, creation, server }, answer }) =>
    creation?.key && answer.status === 201
      ? [creating(now(business), creation, "right", { server: server + 1 })]
      : [],
  );
  return [...settings, ...people, ...rests, ...replays];
}

/** Plays a case. Returns what is wrong. */
async function playCase(world: World, rounds: readonly ValueOf<typeof round>[]): Promise<string[]> {
  for (const round of rounds) {
    const faults = await playRound(world, round);
    if (faults.length > 0) return faults;
  }
  const business = at(world.businesses, 0);
  const { id } = at(business.queues, 0);
  const most = peopleOf(business).filter(({ queueId }) => queueId === id).length;
  // Every eighth limit. The cases of a run have all of them.
  const limits: number[] = [];
  for (let limit = 1 + (rounds[0]?.reader ?? 0); limit <= Math.min(100, most + 1); limit += 8)
    limits.push(limit);
  const lists = limits.map((limit) => beginLists(world, business, id, limit));
  const faults = (await Promise.all(lists)).flatMap((list) => list.faults);
  return [...faults, ...(await auditFaults(world))];
}

const { MODEL_SECONDS = "9", MODEL_SEED, MODEL_PATH } = process.env;
const usual = process.env.TEST_STORE === "mongo" ? "mongo-2" : "memory sqlite sqlite-2";
const { MODEL_STORES = usual } = process.env;
const places = MODEL_STORES.split(" ") as PlaceName[];

test.for(places)("every answer is one that the document allows, on %s", async (name) => {
  const place = await startPlace(name);
  const startedAt = Date.now();
  let [cases, requests] = [0, 0];
  const property = fc.asyncProperty(plan, rounds, async (plans, rounds) => {
    cases += 1;
    const lists = { businesses: [], exchanges: [], keyed: [], begun: [] };
    const world: World = { place, startedAt: Date.now(), ...lists };
    const added = await addBusinesses(place, plans);
    world.businesses.push(...(await Promise.all(added.map((one) => withPeople(world, one)))));
    const faults = await playCase(world, rounds);
    requests += world.exchanges.length;
    if (faults.length > 0) throw new Error(faults.slice(0, 40).join("\n"));
  });
  do {
    // One case for a seed, so that a seed alone repeats a case. A given one is repeated for the whole time.
    const seed = MODEL_SEED ? Number(MODEL_SEED) : randomInt(2 ** 31);
    const one = { seed, numRuns: 1, ...(MODEL_PATH && { path: MODEL_PATH }) };
    const found = await fc.check(property, { ...one, endOnFailure: true });
    if (!found.failed) continue;
    console.log(
      `${name}: seed ${seed} failed after ${Date.now() - startedAt} ms, and is made smaller`,
    );
    // A race does not always repeat, so that a smaller case may not be found.
    const smaller = await fc.check(property, { ...one, interruptAfterTimeLimit: 60_000 });
    const { errorInstance, counterexamplePath } = smaller.errorInstance ? smaller : found;
    const again = `npm run model -- --store ${name} --seed ${seed} --path ${counterexamplePath}`;
    // `inspect` shows causes too: why a fetch failed, and at which port.
    expect.fail(`${inspect(errorInstance)}\nAgain: ${again}`);
  } while (Date.now() - startedAt < Number(MODEL_SECONDS) * 1_000);
  console.log(`${name}: ${cases} cases, ${requests} requests`);
  expect(requests).toBeGreaterThan(0);
});
