import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { connect } from "../../../server/dist/store/mongo/connection.js";
import { mongoStore } from "../../../server/dist/store/mongo/mongo-store.js";
import { handedTime, type StoreTime } from "../../../server/dist/store/mongo/time.js";
import { reportComment } from "../../../server/dist/store/mongo/writer.js";
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
import { type HeldCommand, HeldWire } from "./held-wire.js";
import { Traffic } from "./traffic.js";
import { wrongLine } from "./wrong-line.js";

/** The driver never polls for the server on its own, and reconnects at once when a connection breaks. */
const settings = {
  directConnection: true,
  serverMonitoringMode: "poll",
  heartbeatFrequencyMS: 100_000_000,
  minHeartbeatFrequencyMS: 1,
  socketTimeoutMS: 0,
};

/** Collections for which the order of commands does not matter here: admission and audit. */
const open = ["keys", "sign_ins", "audit"];

/** Two instances on one MongoDB database. All other commands are held on the wire. */
export async function mongoScene(
  databaseUrl: string,
  { dailyTokenLimit, broken = (store) => store, dropIndex }: SceneOptions = {},
): Promise<OpenedScene> {
  const clock = new MovableClock(morning);
  const moves = new Moves();
  const ends: (() => Promise<void>)[] = [];

  const prepared = await openStore(databaseUrl, { random: randomBytes, prepare: "always" });
  await prepared.close();

  const storeOver = async (url: string, pause: StoreTime["pause"]) => {
    const db = await connect(url, { onCommand: () => {} });
    const store = mongoStore(db, { ...handedTime(clock.read, clock.read), pause });
    ends.push(() => store.close());
    return { db, store };
  };

  const { db, store } = await storeOver(databaseUrl, () => Promise.resolve());
  if (dropIndex) await db.connection.collection(dropIndex.collection).dropIndex(dropIndex.name);
  const owner = ownerOf(store, clock.read);
  const { businessId, queueId, otherQueueId, apiKey } = await seedClinic(store, dailyTokenLimit);
  const observer = serviceAtHand(store, apiKey);
  ends.push(() => observer.close());

  const stopped: (() => void)[] = [];
  const instanceOn = async (name: string): Promise<MongoInstance> => {
    const instance = new MongoInstance(name, clock.read, moves.note);
    const wire = await HeldWire.to(databaseUrl, instance.wireOptions);
    const { db, store } = await storeOver(wire.url(settings), instance.pause);
    const service = serviceAtHand(broken(store), apiKey);
    ends.push(() => service.close());
    const desk = deskOf(broken(store), businessId, clock.read);
    instance.begin(wire, { service, desk }, new Traffic(db.connection.getClient(), moves.note));
    stopped.push(() => instance.release());
    return instance;
  };
  const instances = [await instanceOn("one"), await instanceOn("two")];
  return {
    instances,
    observer,
    owner,
    clock,
    queueId,
    otherQueueId,
    advance: (seconds) => clock.advance({ seconds }),
    rest: (isAtRest) => moves.rest(() => instances.every((one) => one.isStill && isAtRest(one))),
    settle: async () => {
      await store.copying.dump("services", null);
    },
    wrongCounts: async () => [
      ...(await wrongLine(db, businessId, queueId, clock.read())),
      ...(await wrongLine(db, businessId, otherQueueId, clock.read())),
    ],
    begin: async () => {
      // Cached reads must not be part of a schedule.
      for (const instance of instances) {
        instance.isHolding = false;
        await instance.service.get(`/v1/queues/${queueId}`);
      }
      await moves.rest(() => instances.every(({ isStill }) => isStill));
      for (const instance of instances) {
        instance.isHolding = true;
        instance.forget();
      }
    },
    close: async () => {
      for (const stop of stopped) stop();
      for (const end of ends.reverse()) await end();
    },
  };
}

class MongoInstance implements Instance {
  readonly name: string;
  readonly #now: () => number;
  readonly #moved: () => void;
  readonly #things: HeldThings;
  #wire: HeldWire | null = null;
  #ends: { readonly service: ServiceAtHand; readonly desk: Desk } | null = null;
  #traffic: Traffic | null = null;
  /** Whether commands are held. */
  isHolding = false;

  constructor(name: string, now: () => number, moved: () => void) {
    this.name = name;
    this.#now = now;
    this.#moved = moved;
    this.#things = new HeldThings(name, moved);
  }

  begin(
    wire: HeldWire,
    ends: { readonly service: ServiceAtHand; readonly desk: Desk },
    traffic: Traffic,
  ): void {
    this.#wire = wire;
    this.#ends = ends;
    this.#traffic = traffic;
  }

  get service(): ServiceAtHand {
    return this.#begun.service;
  }

  get desk(): Desk {
    return this.#begun.desk;
  }

  get #begun() {
    if (!this.#ends) throw new Error("the instance has not begun");
    return this.#ends;
  }

  get held(): readonly Held[] {
    return this.#things.all;
  }

  get isStill(): boolean {
    return (this.#traffic?.isStill ?? true) && this.#wire?.underWay === 0;
  }

  readonly wireOptions = {
    hold: (command: HeldCommand): boolean => {
      if (!this.isHolding || !isHeld(command.name)) return false;
      this.#things.add(this.#heldCommand(command));
      return true;
    },
    adjust: (message: Buffer) => replaceTimes(message, this.#now()),
    watcher: {
      sent: (requestId: number) => this.#traffic?.came(requestId),
      answered: (requestId: number) => this.#traffic?.left(requestId),
      moved: () => this.#moved(),
    },
  };

  readonly pause = (): Promise<void> => {
    if (!this.isHolding) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => {
      const go = async () => {
        this.#things.remove(held);
        resolve();
      };
      const never = () => Promise.reject(new Error("a pause goes nowhere"));
      const held: Held = {
        ...{ name: this.#things.named("pause"), reads: [], writes: [], canFail: false },
        ...{ pass: go, wake: go, lose: never, fail: never, arrive: null },
      };
      this.#things.add(held);
    });
  };

  #heldCommand(command: HeldCommand): Held {
    const { reads, writes } = touchedBy(command.name);
    const held: Held = {
      name: this.#things.named(
        command.says(reportComment) ? `report ${command.name}` : command.name,
      ),
      reads,
      writes,
      canFail: true,
      pass: async () => {
        await command.carryOut();
        this.#things.remove(held);
        command.answer();
      },
      lose: async () => {
        await command.carryOut();
        this.#things.remove(held);
        command.breakConnection();
      },
      fail: async () => {
        this.#things.remove(held);
        command.breakConnection();
      },
      arrive: () => command.carryOut(),
      wake: async () => {
        if (!command.isCarriedOut) await command.carryOut();
        this.#things.remove(held);
        command.answer();
      },
    };
    return held;
  }

  forget(): void {
    this.#things.forget();
  }

  /** Releases all commands from now on. */
  release(): void {
    this.isHolding = false;
    for (const held of this.held) void held.pass();
  }
}

function isHeld(name: string): boolean {
  const [verb = "", collection = ""] = name.split(" ");
  const ofData = ["insert", "update", "delete", "find", "findAndModify", "aggregate", "count"];
  return ofData.includes(verb) && !open.includes(collection);
}

/** The parts of the database that a command uses: collections, because a run has one document in most of them. */
function touchedBy(name: string): { reads: string[]; writes: string[] } {
  const [verb = "", collection = ""] = name.split(" ");
  if (verb === "aggregate") return { reads: ["entries", "days"], writes: [] };
  const reading = verb === "find" || verb === "count";
  return reading ? { reads: [collection], writes: [] } : { reads: [], writes: [collection] };
}

const literal = Buffer.from("\x01$literal\0", "latin1");

/**
 * Replaces times in a command by the database's time of execution, like `$$NOW`, because the command can have
 * waited since its creation.
 */
function replaceTimes(message: Buffer, now: number): void {
  for (let at = message.indexOf(literal); at >= 0; at = message.indexOf(literal, at + 1)) {
    message.writeDoubleLE(now, at + literal.length);
  }
}
