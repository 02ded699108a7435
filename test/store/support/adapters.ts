import { openStore } from "../../../server/src/open-store.js";
import type { Store } from "../../../server/src/operations/store.js";
import { temporaryDatabase } from "../../support/database.js";
import { emptyMongoDatabase } from "../../support/mongo.js";

/** A clock that moves only when a test moves it. */
export interface TestClock {
  (): number;
  advance(milliseconds: number): void;
  /** Sets the clock to another time without elapsed time. */
  leap(milliseconds: number): void;
  /** Elapsed milliseconds, independent of the time that was set. */
  elapsed(): number;
}

/** Saturday 21 November 2026, 04:30 UTC. */
export const start = Date.UTC(2026, 10, 21, 4, 30);

export function testClock(): TestClock {
  let elapsed = start;
  let leapt = 0;
  return Object.assign(() => elapsed + leapt, {
    leap: (milliseconds: number) => {
      leapt += milliseconds;
    },
    elapsed: () => elapsed,
    advance: (milliseconds: number) => {
      elapsed += milliseconds;
    },
  });
}

/** Fixed random bytes, because tests compare ids and results. */
export const noRandom = (bytes: number) => new Uint8Array(bytes);

export interface OpenedStore {
  readonly store: Store;
  readonly clock: TestClock;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

export interface Adapter {
  readonly name: string;
  /** A new, empty store. */
  open(): Promise<OpenedStore>;
}

function adapter(name: string, database: () => Promise<string>): Adapter {
  return {
    name,
    async open() {
      const clock = testClock();
      const store = await openStore(await database(), {
        clock,
        elapsed: clock.elapsed,
        random: noRandom,
      });
      return { store, clock, dispose: () => store.close() };
    },
  };
}

export const memory = adapter("memory", async () => "memory:");
const sqlite = adapter("sqlite", temporaryDatabase);
const mongo = adapter("mongo", emptyMongoDatabase);

/** Whether this is the run on MongoDB, `npm run test:mongo`. */
export const onMongo = process.env.TEST_STORE === "mongo";

/** Where data is copied from and to in this run. */
export const pairs = (
  onMongo
    ? [
        [sqlite, mongo],
        [mongo, memory],
      ]
    : [
        [memory, sqlite],
        [sqlite, memory],
      ]
).map(([from = memory, to = memory]) => ({ from, to, name: `${from.name} to ${to.name}` }));
