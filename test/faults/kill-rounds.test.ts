import { randomBytes } from "node:crypto";
import { openStore, type Store } from "@queue-api/server";
import { expect, test } from "vitest";
import type { Answer } from "../support/answer.js";
import { Clinic } from "../support/clinic.js";
import { ownerOf } from "../support/owner.js";
import { type ServiceProcess, serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import { freshDatabase, targetAt } from "../support/service.js";

/** How often a server is killed. `KILL_ROUNDS=20` before a release. */
const rounds = Number(process.env.KILL_ROUNDS ?? 2);

/** A creation and its response, null without one, and whether it was canceled, null without a response. */
interface Creation {
  readonly key: string;
  readonly queueId: string;
  answer: Answer<{ readonly id: string }> | null;
  isCanceled: boolean | null;
}

const queues = ["front", "lab"];

/** A new clinic with two queues, as it is reached at a server. */
async function newClinic(store: Store) {
  const seed = clinicSeed({
    keys: [wideKey],
    queues: queues.map((ref) => ({ ref, name: ref, tokenSeries: ref.slice(0, 1).toUpperCase() })),
  });
  const seeded = await ownerOf(store, Date.now).seed(seed);
  return async ({ url }: ServiceProcess) =>
    new Clinic(await targetAt(url), seed.slug, seeded, "10.0.0.1");
}

async function create(clinic: Clinic, { key, queueId }: Creation) {
  const person = { name: `Customer ${key}`, phone: "919800000001" };
  const answer = await clinic.client().create(queueId, person, key);
  expect(answer.status).toBe(201);
  return answer;
}

/** Creates entries and cancels every third one, until the server ends or it is enough. */
async function work(clinic: Clinic, creations: Creation[], isEnough: () => boolean) {
  for (let turn = 0; !isEnough(); turn++) {
    const queueId = clinic.queue(queues[turn % 2]);
    const creation: Creation = {
      key: crypto.randomUUID(),
      queueId,
      answer: null,
      isCanceled: false,
    };
    creations.push(creation);
    creation.answer = await create(clinic, creation);
    if (turn % 3 > 0) continue;
    creation.isCanceled = null;
    expect((await clinic.client().cancel(creation.answer.data.id)).status).toBe(200);
    creation.isCanceled = true;
  }
}

/** Runs two workers at each server, and kills the first server during its work. The other one goes on. */
async function killOne(victim: ServiceProcess, atVictim: Clinic, atSurvivor: Clinic) {
  const creations: Creation[] = [];
  let killedAfter: number | null = null;
  const isEnough = () => {
    const { length } = creations;
    if (killedAfter === null && length >= 30) {
      victim.signal("SIGKILL");
      killedAfter = length;
    }
    return killedAfter !== null && length >= killedAfter + 20;
  };
  const [left] = await Promise.all([
    Promise.allSettled([1, 2].map(() => work(atVictim, creations, isEnough))),
    Promise.all([1, 2].map(() => work(atSurvivor, creations, isEnough))),
  ]);
  for (const { reason } of left.filter((one) => one.status === "rejected")) {
    expect(`${reason.code ?? reason.message}`).toMatch(/ECONN|EPIPE|fetch failed|terminated/);
  }
  expect(await victim.exited).toMatchObject({ signal: "SIGKILL" });
  return creations;
}

async function entriesOf(store: Store, clinic: Clinic) {
  const { items } = await store.imports.read(clinic.id, "entries", null);
  return items.map(({ entry }) => entry);
}

/** At once, before anything could be repaired: what is stored is what was acknowledged, and fits together. */
async function expectAllThere(store: Store, clinic: Clinic, creations: readonly Creation[]) {
  const entries = await entriesOf(store, clinic);
  for (const { answer, isCanceled } of creations) {
    if (!answer || isCanceled === null) continue;
    const status = isCanceled ? "CANCELED" : "WAITING";
    expect(entries.find(({ id }) => id === answer.data.id)).toMatchObject({ status });
  }
  for (const ref of queues) {
    const own = entries.filter(({ queueId }) => queueId === clinic.queue(ref));
    expectEach(own.map(({ tokenNumber }) => tokenNumber));
  }
  expectEach(entries.map(({ placeInDay }) => placeInDay));

  const rows = await ownerOf(store, Date.now).audit(clinic.slug, 10_000);
  const changes = rows.filter(({ method, status }) => method === "POST" && status < 300);
  const paths = entries.flatMap(({ id, queueId, status }) => [
    `/v1/queues/${queueId}/entries`,
    ...(status === "CANCELED" ? [`/v1/entries/${id}/cancel`] : []),
  ]);
  expect(changes.map(({ path }) => path).sort()).toEqual(paths.sort());
}

/** Expects 1, 2, 3 and so on, each once, in any order. */
function expectEach(numbers: readonly number[]): void {
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
}

/** Sends each creation again with its key: one entry for each, with the answer that was given. */
async function expectReplays(store: Store, clinic: Clinic, creations: readonly Creation[]) {
  for (const creation of creations) {
    const again = await create(clinic, creation);
    if (!creation.answer) continue;
    expect(again.text).toBe(creation.answer.text);
    expect(again.header("Idempotent-Replay")).toBe("true");
  }
  expect(await entriesOf(store, clinic)).toHaveLength(creations.length);
}

test("kill -9 of one of two servers loses nothing that was acknowledged and does nothing twice or by half, and the other one goes on", async ({
  onTestFinished,
}) => {
  const databaseUrl = await freshDatabase();
  const store = await openStore(databaseUrl, { random: randomBytes });
  onTestFinished(() => store.close());
  const survivor = await serve(databaseUrl, onTestFinished);
  for (let round = 0; round < rounds; round++) {
    const clinicAt = await newClinic(store);
    const victim = await serve(databaseUrl, onTestFinished);
    const clinic = await clinicAt(survivor);
    const creations = await killOne(victim, await clinicAt(victim), clinic);
    await expectAllThere(store, clinic, creations);
    await expectReplays(store, clinic, creations);
  }
});
