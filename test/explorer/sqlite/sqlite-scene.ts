import { randomBytes } from "node:crypto";
import { openStore, type Store } from "@queue-api/server";
import { wrapStore } from "../../../server/dist/store/operations.js";
import { MovableClock, morning } from "../../support/clock.js";
import { ownerOf } from "../../support/owner.js";
import { Moves } from "../moves.js";
import {
  type Desk,
  deskOf,
  type Held,
  HeldThings,
  type Instance,
  type OpenedScene,
  type SceneOptions,
  seedClinic,
} from "../scene.js";
import { type ServiceAtHand, serviceAtHand } from "../service-at-hand.js";

/** An operation is one transaction, or one read of one state of the database. */
interface Transaction {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Whether it can fail with an unknown effect. */
  readonly canFail: boolean;
}

/** The waiting transactions. Other operations do not change their data. */
const held: Readonly<Record<string, Transaction>> = {
  "idempotency.claim": { reads: [], writes: ["idempotency"], canFail: true },
  "idempotency.release": { reads: [], writes: ["idempotency"], canFail: false },
  "idempotency.endLease": { reads: [], writes: ["idempotency"], canFail: false },
  "entries.issue": { reads: [], writes: ["entries", "idempotency"], canFail: true },
  "entries.transfer": { reads: [], writes: ["entries"], canFail: true },
  "entries.move": { reads: [], writes: ["entries"], canFail: true },
  "entries.get": { reads: ["entries"], writes: [], canFail: true },
};

/** Two instances on one SQLite file. Each stops before each of its transactions. */
export async function sqliteScene(
  databaseUrl: string,
  { dailyTokenLimit, broken = (store) => store }: SceneOptions = {},
): Promise<OpenedScene> {
  const clock = new MovableClock(morning);
  const moves = new Moves();
  const ends: (() => Promise<void>)[] = [];
  const open = async () => {
    const store = await openStore(databaseUrl, { clock: clock.read, random: randomBytes });
    ends.push(() => store.close());
    return store;
  };

  const store = await open();
  const { businessId, queueId, otherQueueId, apiKey } = await seedClinic(store, dailyTokenLimit);
  const observer = serviceAtHand(store, apiKey);
  ends.push(() => observer.close());
  const instances: SqliteInstance[] = [];
  for (const name of ["one", "two"]) {
    const instance = new SqliteInstance(name, await open(), {
      ...{ broken, apiKey, businessId, now: clock.read, moved: moves.note },
    });
    ends.push(() => instance.service.close());
    instances.push(instance);
  }

  return {
    instances,
    observer,
    owner: ownerOf(store, clock.read),
    clock,
    queueId,
    otherQueueId,
    advance: (seconds) => clock.advance({ seconds }),
    rest: (isAtRest) => moves.rest(() => instances.every(isAtRest)),
    wrongCounts: async () => [], // the API shows the counts
    settle: async () => {}, // SQLite has no deferred changes
    begin: async () => {
      for (const instance of instances) instance.forget();
    },
    close: async () => {
      for (const end of ends.reverse()) await end();
    },
  };
}

class SqliteInstance implements Instance {
  readonly name: string;
  readonly service: ServiceAtHand;
  readonly desk: Desk;
  readonly #things: HeldThings;
  readonly #moved: () => void;

  constructor(
    name: string,
    store: Store,
    {
      broken,
      apiKey,
      businessId,
      now,
      moved,
    }: {
      readonly broken: (store: Store) => Store;
      readonly apiKey: string;
      readonly businessId: string;
      readonly now: () => number;
      readonly moved: () => void;
    },
  ) {
    this.name = name;
    this.#moved = moved;
    this.#things = new HeldThings(name, moved);
    const stopping = wrapStore(store, (name, operation) => {
      const transaction = held[name];
      return transaction
        ? (...given) => this.#hold(name, transaction, async () => operation(...given))
        : operation;
    });
    this.service = serviceAtHand(broken(stopping), apiKey);
    this.desk = deskOf(broken(stopping), businessId, now);
  }

  get held(): readonly Held[] {
    return this.#things.all;
  }

  forget(): void {
    this.#things.forget();
  }

  #hold(name: string, transaction: Transaction, run: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let outcome: Promise<unknown> | null = null;
      const carryOut = async () => {
        outcome ??= run();
        await outcome.catch(() => {}); // the instance receives the error
      };
      const answer = () => {
        this.#things.remove(held);
        outcome?.then(resolve, reject);
        this.#moved();
      };
      const fail = () => {
        this.#things.remove(held);
        reject(new Error("the transaction failed"));
        this.#moved();
      };
      const held: Held = {
        name: this.#things.named(name),
        ...{ reads: transaction.reads, writes: transaction.writes },
        canFail: transaction.canFail,
        pass: async () => {
          await carryOut();
          answer();
        },
        lose: async () => {
          await carryOut();
          fail();
        },
        fail: async () => fail(),
        arrive: null, // a transaction ends with the process that began it
        wake: async () => {
          await carryOut();
          answer();
        },
      };
      this.#things.add(held);
    });
  }
}
