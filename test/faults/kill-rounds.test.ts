import { randomBytes } from "node:crypto";
import { openStore, type Store } from "@queue-api/server";
import { expect, test } from "vitest";
import { signedInVisitor } from "../dashboard/support/visitor.js";
import type { Answer } from "../support/answer.js";
import { Clinic } from "../support/clinic.js";
import { ownerOf } from "../support/owner.js";
import { type ServiceProcess, serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import { freshDatabase, targetAt } from "../support/service.js";

/** How often a server is killed. `KILL_ROUNDS=20` before a release. */
const rounds = Number(process.env.KILL_ROUNDS ?? 2);

/** A creation, and its response; null without one. */
interface Creation {
  readonly key: string;
  readonly name: string;
  answer: Answer | null;
}

/** A person and the state that the last acknowledged tap gave them; null while a tap has no response. */
interface Followed {
  readonly id: string;
  state: { readonly status: string; readonly queueId: string } | null;
}

/** What the people at the desks have done, as far as they know. */
interface Work {
  readonly creations: Creation[];
  readonly followed: Followed[];
  /** The appointments that were checked in; false while there is no response. */
  readonly checkedIn: Map<string, boolean>;
}

/** A new clinic with two queues and many appointments, and its owners. */
async function newDesk(store: Store) {
  const appointments = Array.from({ length: 60 }, (_, n) => ({
    ref: `visit${n}`,
    slotTime: `09:${String(n).padStart(2, "0")}`,
  }));
  const queues = [
    { ref: "front", name: "Front desk" },
    { ref: "lab", name: "Laboratory", tokenSeries: "L" },
  ];
  const seed = clinicSeed({ keys: [wideKey], queues, appointments });
  const seeded = await ownerOf(store, Date.now).seed(seed);
  const clinicAt = async ({ url }: ServiceProcess) =>
    new Clinic(await targetAt(url), seed.slug, seeded, "10.0.0.1");
  const visitorAt = ({ url }: ServiceProcess) =>
    signedInVisitor({ url, store, now: Date.now }, seed);
  const visits = appointments.map(({ ref }) => ref);
  return { slug: seed.slug, clinicAt, visitorAt, nextVisit: () => visits.shift() };
}

type Desk = Awaited<ReturnType<typeof newDesk>>;

/** Creates entries, taps on them and checks appointments in, until the server ends or it is enough. */
async function workAt(server: ServiceProcess, desk: Desk, work: Work, isEnough: () => boolean) {
  const [clinic, visitor] = [await desk.clinicAt(server), await desk.visitorAt(server)];
  const [front, lab] = [clinic.queue("front"), clinic.queue("lab")];
  const submit = async (path: string, fields: Readonly<Record<string, string>>) =>
    expect((await visitor.submit(`/dashboard${path}`, fields)).status).toBe(303);
  for (let turn = 0; !isEnough(); turn++) {
    const key = crypto.randomUUID();
    const creation: Creation = { key, name: `Customer ${key}`, answer: null };
    work.creations.push(creation);
    const created = await create(clinic, creation);
    creation.answer = created;
    const { id } = created.data;
    const one: Followed = { id, state: { status: "WAITING", queueId: front } };
    work.followed.push(one);
    const tap = async (fields: Readonly<Record<string, string>>, state: Followed["state"]) => {
      one.state = null;
      await submit("/board", fields);
      one.state = state;
    };
    if (turn % 3 > 0) await tap({ transfer: id, to: lab }, { status: "WAITING", queueId: lab });
    if (turn % 3 > 1) await tap({ call: id }, { status: "IN_SERVICE", queueId: lab });
    const visit = turn % 3 === 0 ? desk.nextVisit() : undefined;
    if (visit === undefined) continue;
    const appointment = clinic.appointment(visit);
    work.checkedIn.set(appointment, false);
    await submit(`/appointments/${appointment}/status`, { status: "CHECKED_IN", queue: front });
    work.checkedIn.set(appointment, true);
  }
}

async function create(clinic: Clinic, { key, name }: Creation) {
  const person = { name, phone: "919800000001" };
  const answer = await clinic.client().create(clinic.queue("front"), person, key);
  expect(answer.status).toBe(201);
  return answer;
}

/** Runs two workers at each server, and kills the first server during its work. The other one goes on. */
async function killOne(victim: ServiceProcess, survivor: ServiceProcess, desk: Desk) {
  const work: Work = { creations: [], followed: [], checkedIn: new Map() };
  let killedAfter: number | null = null;
  const isEnough = () => {
    const { length } = work.creations;
    if (killedAfter === null && length >= 30) {
      victim.signal("SIGKILL");
      killedAfter = length;
    }
    return killedAfter !== null && length >= killedAfter + 20;
  };
  const atVictim = [1, 2].map(() => workAt(victim, desk, work, isEnough));
  const atSurvivor = [1, 2].map(() => workAt(survivor, desk, work, isEnough));
  const left = await Promise.allSettled(atVictim);
  await Promise.all(atSurvivor);
  for (const { reason } of left.filter((one) => one.status === "rejected")) {
    expect(`${reason.code ?? reason.message}`).toMatch(/ECONN|EPIPE|fetch failed|terminated/);
  }
  expect(await victim.exited).toMatchObject({ signal: "SIGKILL" });
  return work;
}

/** At once, before anything could be repaired: what is stored is what was acknowledged, and fits together. */
async function expectAllThere(store: Store, clinic: Clinic, work: Work): Promise<void> {
  const { items: entries } = await store.imports.read(clinic.id, "entries", null);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const { id, state } of work.followed) expect(byId.get(id)).toMatchObject(state ?? {});

  const tokens = entries.flatMap((entry) => [entry, ...entry.earlierTokens]);
  for (const queueId of [clinic.queue("front"), clinic.queue("lab")]) {
    expectEach(tokens.filter((token) => token.queueId === queueId).map((one) => one.tokenNumber));
  }
  expectEach(entries.map(({ sequenceInDay }) => sequenceInDay));

  for (const [appointmentId, isKnown] of work.checkedIn) {
    const found = await store.appointments.get(clinic.id, appointmentId);
    const tokens = entries.filter((entry) => entry.appointmentId === appointmentId);
    expect(tokens.map(({ id }) => id)).toEqual(found?.entry ? [found.entry.id] : []);
    if (isKnown) expect(found?.entry).not.toBeNull();
  }

  const rows = (await ownerOf(store, Date.now).audit(clinic.slug, 10_000)).filter(
    ({ method, status }) => method === "POST" && status < 300,
  );
  expect(rows.filter(({ path }) => /^\/v1\/.*\/entries$/.test(path))).toHaveLength(
    entries.filter(({ appointmentId }) => appointmentId === null).length,
  );
  for (const { id, appointmentId, revision } of entries) {
    const own = rows.filter(({ path }) => path.includes(`/people/${id}/`));
    expect(own).toHaveLength(revision + (appointmentId === null ? 0 : 1));
  }
}

/** Expects 1, 2, 3 and so on, each once, in any order. */
function expectEach(numbers: readonly number[]): void {
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
}

/** Sends each creation again with its key: one entry for each, with the answer that was given. */
async function expectReplays(store: Store, clinic: Clinic, { creations }: Work): Promise<void> {
  for (const creation of creations) {
    const again = await create(clinic, creation);
    if (!creation.answer) continue;
    expect(again.text).toBe(creation.answer.text);
    expect(again.header("Idempotent-Replay")).toBe("true");
  }
  const { items } = await store.imports.read(clinic.id, "entries", null);
  const names = items.flatMap((entry) => (entry.appointmentId ? [] : [entry.customerName]));
  expect(names.toSorted()).toEqual(creations.map(({ name }) => name).toSorted());
}

test("kill -9 of one of two servers loses nothing that was acknowledged and does nothing twice or by half, and the other one goes on", async ({
  onTestFinished,
}) => {
  const databaseUrl = await freshDatabase();
  const store = await openStore(databaseUrl, { random: randomBytes });
  onTestFinished(() => store.close());
  const survivor = await serve(databaseUrl, onTestFinished);
  for (let round = 0; round < rounds; round++) {
    const desk = await newDesk(store);
    const victim = await serve(databaseUrl, onTestFinished);
    const work = await killOne(victim, survivor, desk);
    const clinic = await desk.clinicAt(survivor);
    await expectAllThere(store, clinic, work);
    await expectReplays(store, clinic, work);
  }
});
