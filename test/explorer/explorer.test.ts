import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { type Store, storeOn } from "../../server/src/operations/store.js";
import { StoreClock } from "../../server/src/store/clock.js";
import { memoryAdapter } from "../../server/src/store/memory/memory-adapter.js";
import type { Adapter } from "../../server/src/store/port.js";
import { portOn } from "../../server/src/store/run.js";
import { start } from "../store/support/adapters.js";
import { audited, auditLog } from "../store/support/audit.js";
import {
  appointment,
  auditRow,
  back,
  clinic,
  consult,
  entry,
  front,
  id,
  owner,
  settle,
  today,
  token,
} from "../store/support/records.js";
import { explore, type Run } from "./explore.js";
import { type Break, gated, type Step } from "./gate.js";

/** What one process does. Its name is part of the ids that it chooses. */
type Act = (store: Store, name: string) => Promise<unknown>;

interface Case {
  readonly what: string;
  readonly acts: readonly Act[];
  /** The error of an adapter by which this case must fail. */
  readonly fails: Break;
}

const visit = appointment("visit", { serviceId: null });
const owners = ["anna", "bert"].map((name) => owner(name, { passwordHash: "hash" }));
const keyed = { key: "K", fingerprint: "body" };

const create: Act = ({ entries }, name) => entries.issue(clinic.id, token(name));
const createWithKey: Act = ({ entries }, name) => entries.issue(clinic.id, token(name, { keyed }));
const checkIn: Act = ({ appointments }, name) => {
  const request = { id: id(name), queueId: front.id, date: today, issuedAt: start };
  return appointments.checkIn(clinic.id, visit.id, request);
};
const transfer: Act = ({ entries }) => entries.transfer(clinic.id, entry(2).id, back.id);
const correct: Act = ({ entries }) => {
  const person = { customerName: "Zoe", customerPhone: null, phoneIsInternational: false };
  const service = { serviceId: consult.id, workMinutes: consult.baseTimeMinutes };
  return entries.correct(clinic.id, entry(1).id, { ...person, ...service });
};
const rename: Act = ({ queues }, name) => queues.change(clinic.id, front.id, { name }, 0);
const dismiss =
  (number: number): Act =>
  ({ accounts }) =>
    accounts.remove(clinic.id, owners[number]?.id ?? "", { keepOwner: true });

const cases: readonly Case[] = [
  { what: "two creations in one queue", acts: [create, create], fails: "no unique index" },
  {
    what: "two creations with one key",
    acts: [createWithKey, createWithKey],
    fails: "no unique index",
  },
  {
    what: "a creation in the queue to which a person is moved",
    acts: [
      transfer,
      (store, name) => store.entries.issue(clinic.id, token(name, { queueId: back.id })),
    ],
    fails: "no unique index",
  },
  {
    what: "a call and a creation",
    acts: [({ entries }) => entries.callNext(clinic.id, front.id, today, start), create],
    fails: null,
  },
  { what: "two check-ins of one appointment", acts: [checkIn, checkIn], fails: "no unique index" },
  {
    what: "a check-in and the cancellation of its appointment",
    acts: [
      checkIn,
      ({ appointments }) => appointments.change(clinic.id, visit.id, { status: "CANCELLED" }),
    ],
    fails: null,
  },
  {
    what: "a correction to a service and its removal",
    acts: [correct, ({ services }) => services.remove(clinic.id, consult.id)],
    fails: "no version check",
  },
  {
    what: "a transfer to a queue and its removal",
    acts: [transfer, ({ queues }) => queues.remove(clinic.id, back.id)],
    fails: "no version check",
  },
  {
    what: "the removal of the last two owners",
    acts: [dismiss(0), dismiss(1)],
    fails: "no version check",
  },
  {
    what: "a cancellation and a call",
    acts: [
      ({ entries }) => entries.move(clinic.id, entry(1).id, "cancel", start),
      ({ entries }) => entries.move(clinic.id, entry(1).id, "call", start),
    ],
    fails: "no version check",
  },
  {
    what: "two renames that were decided on one revision",
    acts: [rename, rename],
    fails: "no version check",
  },
];

/** Each process has its own port on the adapter, so that no turns order them. */
function processOn(adapter: Adapter, number: number): Store {
  const clock = new StoreClock(
    () => start,
    () => start,
  );
  const random = (bytes: number) => new Uint8Array(bytes).fill(number);
  return storeOn(portOn(adapter, { clock, elapsed: () => start, random }));
}

const nameOf = (number: number) => `act${number}`;

/** The result of an act, or the name of its error. Its audit row has the name of the act. */
async function outcomeOf(act: Act, store: Store, number: number): Promise<unknown> {
  const name = nameOf(number);
  try {
    return (await act(audited(store, auditRow(name)), name)) ?? null;
  } catch (error) {
    return (error as Error).name;
  }
}

/** A clinic with two owners, an appointment, and three people in the first queue. */
async function clinicIn(adapter: Adapter): Promise<void> {
  const store = processOn(adapter, 0);
  await settle(store, { appointments: [visit], entries: [entry(1), entry(2)] });
  for (const one of owners) await store.accounts.add(clinic.id, one);
  await store.entries.issue(clinic.id, token("third")); // so that the queue is noted as in use
}

/** Everything that the acts can change, as any client can see it. */
async function seen(adapter: Adapter): Promise<unknown> {
  const { entries, queues, services, accounts, appointments, ...store } = processOn(adapter, 0);
  const page = { limit: 20, after: null };
  return [
    await entries.page(clinic.id, front.id, today, null, page),
    await entries.page(clinic.id, back.id, today, null, page),
    await queues.list(clinic.id),
    await services.list(clinic.id),
    await accounts.list(clinic.id),
    await appointments.get(clinic.id, visit.id),
    (await auditLog({ ...store, entries, queues, services, accounts, appointments }, clinic.id))
      .map(({ path }) => path)
      .sort(),
  ];
}

function sequencesOf(numbers: readonly number[]): number[][] {
  if (numbers.length === 0) return [[]];
  return numbers.flatMap((first) =>
    sequencesOf(numbers.filter((number) => number !== first)).map((others) => [first, ...others]),
  );
}

/** What the acts return, and what can be seen after them, in each sequence of them. */
async function inSequence(acts: readonly Act[]): Promise<unknown[]> {
  return Promise.all(
    sequencesOf(acts.map((_, number) => number)).map(async (sequence) => {
      const adapter = memoryAdapter();
      await clinicIn(adapter);
      const results: unknown[] = [];
      for (const number of sequence) {
        const act = acts[number] as Act;
        results[number] = await outcomeOf(act, processOn(adapter, number + 1), number);
      }
      return [results, await seen(adapter)];
    }),
  );
}

async function exploreCase(acts: readonly Act[], broken: Break) {
  const possible = await inSequence(acts);
  return explore(async (): Promise<Run> => {
    const adapter = memoryAdapter();
    await clinicIn(adapter);
    const held = acts.map(() => new Set<Step>());
    const results: unknown[] = [];
    for (const [number, act] of acts.entries()) {
      const gate = gated(adapter, nameOf(number), held[number] as Set<Step>, broken);
      void outcomeOf(act, processOn(gate, number + 1), number).then((result) => {
        results[number] = result;
      });
    }
    const rests = () => held.every(({ size }, number) => size > 0 || results[number] !== undefined);
    return {
      async steps() {
        do await new Promise((resolve) => setImmediate(resolve));
        while (!rests());
        return held.flatMap((steps) => [...steps]);
      },
      async end() {
        const found = [results, await seen(adapter)];
        const isPossible = possible.some((expected) => isDeepStrictEqual(found, expected));
        return isPossible ? null : `in no sequence: ${JSON.stringify(found)}`;
      },
    };
  });
}

describe("in every order of their reads and writes", () => {
  test.each(cases)("$what return and store what they do one after the other", async ({ acts }) => {
    const { orders, failure } = await exploreCase(acts, null);
    expect(failure).toBeNull();
    expect(orders).toBeGreaterThan(1);
  });
});

describe("the explorer", () => {
  test.each(cases.filter(({ fails }) => fails !== null))(
    "finds an order in which $what go wrong with $fails",
    async ({ acts, fails }) => {
      expect((await exploreCase(acts, fails)).failure).not.toBeNull();
    },
  );
});
