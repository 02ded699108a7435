import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, type OnTestFinishedHandler, test } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import { everyPage } from "../../server/src/operations/every-page.js";
import type { Store } from "../../server/src/operations/store.js";
import { StoreUnavailableError } from "../../server/src/store/errors.js";
import { attempt, back, clinic, front, settle, token } from "../store/support/records.js";
import { mongoDatabase } from "../support/mongo.js";
import { launch } from "../support/process.js";
import { Wire } from "./support/wire.js";

/**
 * How long an operation may take while the database is away. By default: 3 seconds to select a server, 3 for a connection
 * and 5 for a response; 14 more for a busy machine. The driver alone takes 30.
 */
const boundMs = 25_000;

interface Scene {
  readonly wire: Wire;
  readonly store: Store;
}

/** A store with a clinic that reaches its database through a `Wire`. */
async function onAWire(
  atEnd: (end: OnTestFinishedHandler) => void,
  settings: Record<string, number> = {},
): Promise<Scene> {
  const wire = await Wire.to(mongoDatabase(), settings);
  atEnd(() => wire.cut());
  const store = await openStore(wire.url, { random: randomBytes });
  atEnd(() => store.close());
  await settle(store);
  return { wire, store };
}

/** Creates an entry with a key. A second creation with the key is a replay. */
async function create({ entries }: Store, key: string, id = key, queueId = front.id) {
  const request = token(id, { queueId, keyed: { key, fingerprint: "body" } });
  const created = await entries.create(clinic.id, request);
  if (!("receipt" in created)) throw new Error(created.outcome);
  return created.receipt.entry.tokenNumber;
}

/** Null if the database could not be reached, which is said in time. */
async function inTime<Result>(asked: Promise<Result>): Promise<Result | null> {
  const began = performance.now();
  const result = await asked.catch((error) => {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return null;
  });
  expect(performance.now() - began).toBeLessThan(boundMs);
  return result;
}

async function expectRefusal({ store }: Scene): Promise<void> {
  const asked = [
    store.ping(),
    store.queues.list(clinic.id),
    store.admission.admit(attempt()),
    create(store, randomBytes(6).toString("hex"), undefined, back.id),
  ];
  const answers = await Promise.all(asked.map((one) => inTime<unknown>(one)));
  expect(answers).toEqual([null, null, null, null]);
}

/** Creates entries one after another, each with a key that it sends until there is an answer. */
function startWork({ store }: Scene) {
  const numbers = new Map<string, number>();
  let isOver = false;
  const sender = async (name: string) => {
    for (let made = 0; !isOver; made++) {
      const key = `${name}${made}`;
      for (let tries = 0; !numbers.has(key); tries++) {
        const number = await inTime(create(store, key, `${key}try${tries}`));
        if (number !== null) numbers.set(key, number);
        else await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  const working = Promise.all(["a", "b", "c", "d"].map(sender));
  return {
    /** Waits until this many more creations have an answer. */
    more: (count: number) => {
      const enough = numbers.size + count;
      return expect.poll(() => numbers.size, { timeout: 120_000 }).toBeGreaterThanOrEqual(enough);
    },
    /** Ends the work. Each key has one entry with the number that was answered, and no number is missing. */
    async end(): Promise<void> {
      isOver = true;
      await working;
      const stored = new Map<string | undefined, number>();
      const read = (after: string | null) => store.imports.read(clinic.id, "entries", after);
      let entries = 0;
      for await (const part of everyPage(read)) {
        for (const { queueId, keyed, tokenNumber } of part) {
          if (queueId !== front.id) continue;
          entries++;
          stored.set(keyed?.key, tokenNumber);
        }
      }
      expect(stored).toEqual(numbers);
      expect(entries).toBe(numbers.size);
      const inOrder = [...numbers.values()].sort((a, b) => a - b);
      expect(inOrder).toEqual(inOrder.map((_, at) => at + 1));
    },
  };
}

/** Waits until this many more creations have an answer. */
type More = (count: number) => Promise<void>;

/** What happens to the way to the database while the work goes on, and what ends it. */
const faults: Readonly<Record<string, (scene: Scene, more: More) => Promise<void>>> = {
  async "three outages"(scene, more) {
    for (let round = 0; round < 3; round++) {
      await scene.wire.cut();
      if (round === 0) await expectRefusal(scene);
      await scene.wire.restore();
      await more(5);
    }
  },
  async "a frozen database"(scene) {
    scene.wire.freeze();
    await expectRefusal(scene);
    scene.wire.thaw();
  },
  async "elections of another primary"({ wire }, more) {
    for (const how of ["answering", "closing", "answering", "closing"] as const) {
      wire.stepDown(how);
      wire.elect();
      await more(5);
    }
  },
};

describe("faults of the database", () => {
  test.for(Object.entries(faults))(
    "%s: operations end in time, nothing is lost or done twice, and the store recovers",
    async ([, fault], { onTestFinished }) => {
      const scene = await onAWire(onTestFinished);
      const work = startWork(scene);
      await work.more(20);
      await fault(scene, work.more);
      await work.more(20);
      await work.end();
    },
  );

  test.for(["answering", "closing"] as const)(
    "an election that is soon delays operations only: the old primary is %s",
    async (how, { onTestFinished }) => {
      const { store, wire } = await onAWire(onTestFinished);
      for (let round = 0; round < 3; round++) {
        const { refused } = wire;
        wire.stepDown(how);
        const reads = Array.from({ length: 5 }, () => store.queues.list(clinic.id));
        const creation = create(store, `round${round}`);
        if (how === "answering") await expect.poll(() => wire.refused).toBeGreaterThan(refused);
        wire.elect();
        await Promise.all(reads);
        expect(await creation).toBe(round + 1);
      }
    },
  );

  test("an outage: any number of operations leaves no memory in use", async ({
    onTestFinished,
  }) => {
    const { store, wire } = await onAWire(onTestFinished, { serverSelectionTimeoutMS: 100 });
    await wire.cut();
    const ask = async (times: number) => {
      for (let n = 0; n < times; n++) {
        const asked = Array.from({ length: 49 }, (_, n) =>
          inTime(store.admission.admit(attempt({ subject: `10.2.${n}.1` }))),
        );
        const created = inTime(create(store, `${times}-${n}`));
        for (const answer of await Promise.all([created, ...asked])) expect(answer).toBeNull();
      }
    };
    await ask(10);
    const before = heapUsed();
    await ask(60);
    expect(heapUsed() - before).toBeLessThan(2_000_000); // 3,000 operations: under 700 bytes each
  });

  test("an outage at the start: the service waits for the database", async ({ onTestFinished }) => {
    const wire = await Wire.to(mongoDatabase());
    onTestFinished(() => wire.cut());
    const { url } = wire;
    await wire.cut();
    const starting = launch(url, onTestFinished, { LOG_LEVEL: "warn" });
    await expect.poll(starting.output).toContain("waiting for the database");
    expect(starting.output()).not.toContain("listening");
    await wire.restore();
    const { url: served } = await starting.ready;
    expect((await fetch(`${served}/readyz`)).status).toBe(200);
  });
});

/** Returns the memory in use after a garbage collection. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
