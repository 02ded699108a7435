import { openStore as openBuiltStore } from "@queue-api/server";
import { openStore } from "../../../server/src/open-store.js";
import type { Store } from "../../../server/src/operations/store.js";
import { type AnyOperation, wrapStore } from "../../../server/src/operations/wrap-store.js";
import { temporaryDatabase } from "../../support/database.js";
import { emptyMongoDatabase } from "../../support/mongo.js";

/** A clock that moves only when a test moves it. */
export interface TestClock {
  (): number;
  set(now: number): void;
  advance(milliseconds: number): void;
  /** Sets the clock to another time without elapsed time. */
  leap(milliseconds: number): void;
  /** Elapsed milliseconds, independent of the time that was set. */
  elapsed(): number;
}

/** Saturday 21 November 2026, 04:30 UTC. */
export const start = Date.UTC(2026, 10, 21, 4, 30);

export function testClock(): TestClock {
  let now = start;
  let leapt = 0;
  return Object.assign(() => now, {
    leap: (milliseconds: number) => {
      now += milliseconds;
      leapt += milliseconds;
    },
    elapsed: () => now - leapt,
    set: (to: number) => {
      now = to;
    },
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  });
}

/** Fixed random bytes, because the suite compares ids and results. */
export const noRandom = (bytes: number) => new Uint8Array(bytes);

export interface OpenedStore {
  readonly store: Store;
  readonly clock: TestClock;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

export interface Adapter {
  readonly name: string;
  /** How many generated sequences are compared with the model. */
  readonly sequences: number;
  /** A new, empty store. */
  open(): Promise<OpenedStore>;
}

async function openAt(url: string, cleanUp: () => Promise<void>): Promise<OpenedStore> {
  const clock = testClock();
  const store = await openStore(url, { clock, elapsed: clock.elapsed, random: noRandom });
  const dispose = async () => {
    await store.close();
    await cleanUp();
  };
  return { store, clock, dispose };
}

export const memory: Adapter = {
  name: "memory",
  sequences: 100,
  open: () => openAt("memory:", async () => {}),
};

const sqlite: Adapter = {
  name: "sqlite",
  sequences: 100,
  async open() {
    const { url, remove } = await temporaryDatabase();
    return openAt(url, remove);
  },
};

/** The sqlite store in its threads. A thread runs the built files. */
export const threads: Adapter = {
  name: "threaded sqlite",
  sequences: 8,
  async open() {
    const { url, remove } = await temporaryDatabase();
    const clock = testClock();
    const store = await openBuiltStore(url, { clock, random: noRandom, threads: true });
    const dispose = async () => {
      await store.close();
      await remove();
    };
    return { store, clock, dispose };
  },
};

const mongo: Adapter = {
  name: "mongo",
  sequences: 40,
  open: () => {
    const { url, remove } = emptyMongoDatabase();
    return openAt(url, remove);
  },
};

/**
 * Two instances on one database. Each operation goes to the other instance than the operation before, so that
 * the cache of one instance is tested against the changes of the other.
 */
export const mongoInTurn: Adapter = {
  name: "mongo, on two instances in turn",
  sequences: 20,
  async open() {
    const { url, remove } = emptyMongoDatabase();
    const clock = testClock();
    const open = () => openStore(url, { clock, elapsed: clock.elapsed, random: noRandom });
    const [one, other] = [await open(), await open()];
    let turn = 0;
    const store = wrapStore(one, (name, operation) => {
      const [noun, verb] = name.split(".") as [keyof Store, never];
      if (name === "maintenance.prune") return operation; // one instance at a time prunes
      const twin = verb === undefined ? other[noun] : other[noun][verb];
      return (...given) => (turn++ % 2 === 0 ? operation : (twin as AnyOperation))(...given);
    });
    const dispose = async () => {
      await one.close();
      await other.close();
      await remove();
    };
    return { store, clock, dispose };
  },
};

/** Whether this is the run on MongoDB, `npm run test:mongo`. */
export const onMongo = process.env.TEST_STORE === "mongo";

/** The adapters that this run tests. `TEST_STORE=memory`: the memory store alone, as `npm run mutants` has it. */
export const adapters: readonly Adapter[] = onMongo
  ? [mongo]
  : process.env.TEST_STORE === "memory"
    ? [memory]
    : [memory, sqlite];

/** Each pair of different adapters with at least one adapter of this run. */
export const pairs = [memory, sqlite, mongo].flatMap((from) =>
  [memory, sqlite, mongo]
    .filter((to) => to !== from && (from === mongo || to === mongo) === onMongo)
    .map((to) => ({ from, to, name: `${from.name} to ${to.name}` })),
);
