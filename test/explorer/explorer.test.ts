import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { type Store, storeOn } from "../../server/src/operations/store.js";
import { newAccountSession } from "../../server/src/rules/account-session.js";
import { memoryAdapter } from "../../server/src/store/memory/memory-adapter.js";
import type { Adapter, Write } from "../../server/src/store/port.js";
import { portOn } from "../../server/src/store/run.js";
import { start, withAccess } from "../store/support/adapters.js";
import { audited, auditLog } from "../store/support/audit.js";
import * as records from "../store/support/records.js";
import { explore } from "./explore.js";
import { gated, type Step } from "./gate.js";

/** What one process does. Its name is part of the ids that it chooses. */
type Act = (store: Store, name: string) => Promise<unknown>;

const { advice, back, clinic, consult, entry, front, id, today, token } = records;
const room = { ...back, id: id("room") };
const kiosk = { ...records.kiosk, requestsPerMinute: 1 };
const keys = Array.from({ length: 9 }, (_, n) => (n === 0 ? kiosk : { ...kiosk, id: id(`k${n}`) }));
const visit = records.appointment("visit", { serviceId: null });
const consultation = records.appointment("consultation", { serviceId: advice.id });
const owners = ["anna", "bert"].map((name) => records.account(name, { passwordHash: "hash" }));
const first = entry(1).id;

const create =
  (changes: Parameters<typeof token>[1] = {}): Act =>
  ({ entries }, name) =>
    entries.create(clinic.id, token(name, changes));
const createWithKey = create({ keyed: { key: "K", fingerprint: "body" } });
const checkInTo =
  (queueId: string, appointment = visit): Act =>
  ({ appointments }, name) => {
    const request = { id: id(name), queueId, date: today, issuedAt: start };
    return appointments.checkIn(clinic.id, appointment.id, request);
  };
const transfer: Act = ({ entries }) => entries.transfer(clinic.id, first, back.id);
const correct: Act = ({ entries }) => {
  const person = { customerName: "Zoe", customerPhone: null, phoneIsInternational: false };
  return entries.correct(clinic.id, first, { ...person, serviceId: consult.id, workMinutes: 15 });
};
const removeVisit: Act = ({ appointments }) => appointments.remove(clinic.id, visit.id);
const cancelVisit: Act = ({ appointments }) =>
  appointments.change(clinic.id, visit.id, { status: "CANCELLED" });
const rename: Act = ({ queues }, name) => queues.change(clinic.id, front.id, { name }, 0);
const dismiss: Act = ({ accounts }) =>
  accounts.remove(clinic.id, owners[0]?.id ?? "", { keepOwner: true });
const demote: Act = ({ accounts }) => accounts.changeRole(clinic.id, owners[1]?.id ?? "", "staff");
const invite: Act = ({ accounts }, name) =>
  accounts.add(clinic.id, { ...records.account(name), email: "new@clinic.example" });
const setPassword: Act = ({ accounts }, name) =>
  accounts.setPassword(clinic.id, owners[0]?.id ?? "", name, { passwordHash: "hash" });
const addKey: Act = ({ keys }, name) => keys.add(clinic.id, { ...kiosk, id: id(name) });
const admit: Act = ({ admission }) => admission.admit(records.attempt());
const addSum: Act = ({ audit }, name) => {
  const sum = { count: 2, lastAt: start };
  return audit.append([records.auditRow("sum", { status: 429, sum, requestId: name })]);
};
const callNext: Act = ({ entries }) => entries.callNext(clinic.id, front.id, today, start);
const transition =
  (by: "call" | "next" | "cancel" | "undo", entryId = first): Act =>
  ({ entries }) =>
    entries.transition(clinic.id, entryId, by, start);

/** Two acts that two processes do at one moment. */
const cases: readonly [what: string, acts: [Act, Act]][] = [
  ["two creations in one queue", [create(), create()]],
  ["two creations with one key", [createWithKey, createWithKey]],
  ["a transfer and a creation", [transfer, create({ queueId: back.id })]],
  ["creations in two queues", [create(), create({ queueId: back.id })]],
  ["two check-ins of one appointment, to two queues", [checkInTo(front.id), checkInTo(back.id)]],
  ["a check-in and the cancellation of its appointment", [checkInTo(front.id), cancelVisit]],
  ["a check-in and the removal of its appointment", [checkInTo(front.id), removeVisit]],
  [
    "a check-in and the end of its service",
    [
      checkInTo(front.id, consultation),
      ({ services }) => services.change(clinic.id, advice.id, { active: false }),
    ],
  ],
  [
    "a correction to a service and its removal",
    [correct, ({ services }) => services.remove(clinic.id, consult.id)],
  ],
  [
    "a transfer to a queue and its removal",
    [transfer, ({ queues }) => queues.remove(clinic.id, back.id)],
  ],
  [
    "a creation for a service and its removal",
    [create({ serviceId: consult.id }), ({ services }) => services.remove(clinic.id, consult.id)],
  ],
  ["the removal of one of two owners and the demotion of the other", [dismiss, demote]],
  ["two accounts with one address", [invite, invite]],
  ["two new passwords that prove one before", [setPassword, setPassword]],
  ["two keys for the last place", [addKey, addKey]],
  ["two requests for the last place of a window", [admit, admit]],
  ["two sums with one name", [addSum, addSum]],
  ["two calls of the next person, one of which names them", [transition("next"), callNext]],
  ["a call of the next person and their transfer to another queue", [callNext, transfer]],
  ["two calls of the next person", [callNext, callNext]],
  [
    "the undo of a transfer to another queue and a call there",
    [transition("undo", entry(2).id), transition("call", entry(2).id)],
  ],
  ["a cancellation and a call", [transition("cancel"), transition("call")]],
  ["two renames that were decided on one revision", [rename, rename]],
];

/** What changes a record, so that its audit row is stored with it. */
const changes: Readonly<Record<string, Act>> = {
  "a creation": create(),
  "a creation with a key": createWithKey,
  "a call of the next person": callNext,
  "a cancellation": transition("cancel"),
  "a transfer": transfer,
  "a correction": correct,
  "a cancellation of an appointment": cancelVisit,
  "the removal of an appointment": removeVisit,
  "a pause of a queue": ({ queues }) =>
    queues.change(clinic.id, front.id, { isTokenCreationPaused: true }),
  "an order of the queues": ({ queues }) => queues.reorder(clinic.id, [back.id, front.id]),
  "a switch of the business": ({ businesses }) =>
    businesses.change(clinic.id, { apiAccess: false }),
  "a revocation of a key": (store) => store.keys.change(clinic.id, kiosk.id, { revokedAt: start }),
  "the removal of an account": dismiss,
  "a new password": setPassword,
};

/** A process has its own port on the adapter, so that no turns order its operations with those of another one. */
function processOn(adapter: Adapter, number: number): Store {
  const elapsed = () => start;
  const random = (bytes: number) => new Uint8Array(bytes).fill(number);
  return storeOn(portOn(adapter, { clock: elapsed, elapsed, random }));
}

/**
 * A clinic with two owners, nine keys, an appointment, and three people, one of whom was transferred. Its queues are noted as
 * in use.
 */
async function newClinic(): Promise<Adapter> {
  const adapter = memoryAdapter();
  const store = processOn(adapter, 9);
  const entries = [entry(1), entry(2)];
  await records.settle(store, {
    keys,
    queues: [front, back, room],
    appointments: [visit, consultation],
    entries,
  });
  for (const one of owners) await store.accounts.add(clinic.id, one);
  await store.entries.create(clinic.id, token("third"));
  await store.entries.transfer(clinic.id, entry(2).id, room.id);
  return adapter;
}

/** The result of an act, or the name of its error. Its audit row has its name. */
function outcomeOf(act: Act, adapter: Adapter, number: number): Promise<unknown> {
  const store = audited(processOn(adapter, number), records.auditRow(`${number}`));
  return act(store, `act${number}`).catch((error: Error) => error.name);
}

/** Everything that the acts can change, as any client can see it. */
async function seen(adapter: Adapter): Promise<unknown> {
  const store = processOn(adapter, 9);
  const page = { limit: 20, after: null };
  const queues = [front, back, room].map((queue) =>
    store.entries.page(clinic.id, queue.id, today, page),
  );
  return [
    await Promise.all(queues),
    await store.queues.list(clinic.id),
    await store.services.list(clinic.id),
    await store.accounts.list(clinic.id),
    await store.keys.list(clinic.id),
    await store.appointments.get(clinic.id, visit.id),
    (await auditLog(store, clinic.id)).map(({ path, sum }) => `${path} ${sum?.count}`).sort(),
  ];
}

/** What the acts return, and what can be seen after them, if they come one after the other. */
async function inSequence(acts: readonly Act[], order: readonly number[]): Promise<unknown> {
  const adapter = await newClinic();
  const results: unknown[] = [];
  for (const number of order) {
    results[number] = await outcomeOf(acts[number] as Act, adapter, number);
  }
  return [results, await seen(adapter)];
}

async function exploreBoth(acts: readonly Act[]) {
  const possible = [await inSequence(acts, [0, 1]), await inSequence(acts, [1, 0])];
  return explore(async () => {
    const adapter = await newClinic();
    const results: unknown[] = [];
    const held = acts.map((act, number) => {
      const steps = new Set<Step>();
      const gate = gated(adapter, `act${number}`, steps);
      void outcomeOf(act, gate, number).then((result) => {
        results[number] = result;
      });
      return steps;
    });
    const rests = () => held.every(({ size }, number) => size > 0 || number in results);
    return {
      async steps() {
        do await new Promise((resolve) => setImmediate(resolve));
        while (!rests());
        return held.flatMap((steps) => [...steps]);
      },
      async wrong() {
        const found = [results, await seen(adapter)];
        const isPossible = possible.some((expected) => isDeepStrictEqual(found, expected));
        return isPossible ? null : `in no sequence: ${JSON.stringify(found)}`;
      },
    };
  });
}

describe("in every order of their reads and writes", () => {
  test.each(cases)("%s return and store what they do in sequence", async (_, acts) => {
    const { orders, failure } = await exploreBoth(acts);
    expect(failure).toBeNull();
    expect(orders).toBeGreaterThan(1);
  });
});

describe("one write", () => {
  /** The writes of an act on queues and a service that are noted as in use. */
  async function writesOf(act: Act): Promise<Write[]> {
    const adapter = await newClinic();
    const use = token("use", { queueId: back.id, serviceId: consult.id });
    await processOn(adapter, 9).entries.create(clinic.id, use);
    const writes: Write[] = [];
    const noting = withAccess(adapter, ({ send }) => ({
      async send(write) {
        writes.push(write);
        await send(write);
      },
    }));
    await outcomeOf(act, noting, 0);
    return writes;
  }

  test.each(Object.entries(changes))("is %s, with its audit row", async (_, act) => {
    const audit = expect.objectContaining({ path: "/v1/0" });
    expect(await writesOf(act)).toEqual([expect.objectContaining({ audit })]);
  });

  test("is a check-in, which first notes that its appointment is in use", async () => {
    const note = { table: "appointments", record: { checkInAt: start, revision: 0 }, audit: null };
    const entry = { table: "entries", kind: "insert", audit: { path: "/v1/0" } };
    expect(await writesOf(checkInTo(front.id))).toMatchObject([note, entry]);
  });

  test("is the start of a session, which has no audit row", async () => {
    const [anna] = owners;
    if (!anna) throw new Error("no owner");
    const session = newAccountSession(anna, "token", start);
    const act: Act = ({ sessions }) => sessions.start(clinic.id, session, "hash");
    expect(await writesOf(act)).toEqual([expect.objectContaining({ audit: null })]);
  });
});
