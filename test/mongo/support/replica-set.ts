import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { mongo } from "mongoose";
import { withDatabase } from "../../support/mongo.js";
import {
  messages,
  readCommand,
  request,
  response,
  responseTo,
  type WireCommand,
  without,
} from "./wire-messages.js";

const memberCount = 3;
const setName = "rs0";

const notWritablePrimary = { code: 10_107, codeName: "NotWritablePrimary" };
const interrupted = { code: 11_602, codeName: "InterruptedDueToReplStateChange" };

/** A promise with its resolver. */
interface Signal {
  readonly happened: Promise<void>;
  give(): void;
}

function signal(): Signal {
  let give = () => {};
  const happened = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { happened, give };
}

/** A client's connection to a member, with its own connection to the engine. */
interface Link {
  readonly member: number;
  readonly client: Socket;
  readonly engine: Socket;
  /** The callbacks for the engine's responses, by the id of the request. */
  readonly waiting: Map<number, (response: Buffer | null) => void>;
}

/**
 * Simulates a replica set of three members in front of one standalone engine. It responds to `hello` like
 * a set, carries out a retried write once, and holds elections on command. All members share the engine's
 * data, and only the primary accepts commands.
 *
 * The writes of an isolated primary reach no other member: it acknowledges a write only to a client that
 * does not ask for a majority. When it steps down, all writes since its isolation are rolled back.
 */
export class ReplicaSet {
  readonly #engine: URL;
  readonly #links = new Set<Link>();
  /** The responses to retryable writes, by session and transaction number. */
  readonly #written = new Map<string, Promise<Buffer | null>>();
  readonly #processId = new mongo.ObjectId();
  #members: Server[] = [];
  #hosts: string[] = [];
  /** Null during an election. */
  #primary: number | null = 0;
  #last = 0;
  #term = 1;
  #changed = signal();
  #topology = 0;
  #wrote = signal();
  /** The commands that run in the engine, and the promise that a new command waits for. */
  readonly #running = new Set<Promise<unknown>>();
  #admitted: Promise<void> = Promise.resolve();
  /** Present while the primary is isolated. */
  #isolation: { readonly over: Signal; readonly known: ReadonlySet<string> } | null = null;
  /** How many commands were refused by members that are not primary. */
  refused = 0;
  /** How many writes were retried, and not carried out again. */
  repeated = 0;
  /** How many documents were rolled back. */
  rolledBack = 0;

  private constructor(engineUrl: string) {
    this.#engine = new URL(engineUrl);
  }

  static async before(engineUrl: string, atEnd: (end: () => Promise<void>) => void) {
    const set = new ReplicaSet(engineUrl);
    set.#members = Array.from({ length: memberCount }, (_, member) =>
      createServer((client) => set.#join(member, client)),
    );
    for (const server of set.#members) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      set.#hosts.push(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    atEnd(() => set.#close());
    return set;
  }

  /** The URL of the set. */
  get url(): string {
    return `mongodb://${this.#hosts.join(",")}${this.#engine.pathname}?replicaSet=${setName}`;
  }

  /** The URL of the primary, for a direct connection. */
  get primaryUrl(): string {
    return `mongodb://${this.#hosts[this.#primary ?? 0]}${this.#engine.pathname}`;
  }

  /** Waits until the engine carries out a write. */
  get nextWrite(): Promise<void> {
    return this.writtenMore(1);
  }

  /** Waits until the engine has received this many more writes. */
  async writtenMore(count: number): Promise<void> {
    for (let more = 0; more < count; more++) await this.#wrote.happened;
  }

  /** Isolates the primary: its writes reach no other member from now on. */
  async isolatePrimary(): Promise<void> {
    await this.#alone(async () => {
      await copyDatabase(this.#engine.href, this.#majorityUrl);
      this.#isolation = { over: signal(), known: new Set(this.#written.keys()) };
    });
  }

  /**
   * Ends the primary's term; until `elect` there is no primary. Pending commands are carried out or rolled
   * back, without a result for the client: the former primary refuses them and all later commands, or
   * closes its connections. Monitors are notified at the election.
   */
  async stepDown(how: "responding" | "closing"): Promise<void> {
    this.#last = this.#primary ?? this.#last;
    this.#primary = null;
    this.#term++;
    this.#topology++;
    if (how === "closing") {
      for (const { member, client } of this.#links) if (member === this.#last) client.destroy();
    }
    await this.#alone(async () => {
      if (!this.#isolation) return;
      const { over, known } = this.#isolation;
      this.rolledBack += await copyDatabase(this.#majorityUrl, this.#engine.href);
      for (const write of this.#written.keys()) if (!known.has(write)) this.#written.delete(write);
      this.#isolation = null;
      over.give();
    });
  }

  /** Makes the next member the primary. */
  elect(): void {
    this.#primary = (this.#last + 1) % memberCount;
    this.#topology++;
    this.#changed.give();
    this.#changed = signal();
  }

  async #close(): Promise<void> {
    for (const { client } of this.#links) client.destroy();
    await Promise.all(this.#members.map((server) => new Promise((done) => server.close(done))));
    await withDatabase(this.#majorityUrl, (db) => db.dropDatabase());
  }

  /** The database with the data that a majority has while the primary is isolated. */
  get #majorityUrl(): string {
    return `${this.#engine.href}_majority`;
  }

  /** Runs a step while no command runs in the engine. */
  async #alone(step: () => Promise<void>): Promise<void> {
    const { happened, give } = signal();
    this.#admitted = happened;
    await Promise.allSettled(this.#running);
    await step().finally(give);
  }

  #join(member: number, client: Socket): void {
    const engine = connect(Number(this.#engine.port || 27_017), this.#engine.hostname);
    const link: Link = { member, client, engine, waiting: new Map() };
    this.#links.add(link);
    const over = () => client.destroyed && link.waiting.size === 0 && engine.destroy();
    for (const socket of [client, engine]) {
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
    }
    client.on("close", () => {
      this.#links.delete(link);
      over(); // waits for the pending commands of the engine
    });
    engine.on("close", () => {
      for (const give of link.waiting.values()) give(null);
      client.destroy();
    });
    client.on(
      "data",
      messages((message) => void this.#take(link, message)),
    );
    engine.on(
      "data",
      messages((message) => {
        const id = message.readInt32LE(8);
        link.waiting.get(id)?.(message);
        link.waiting.delete(id);
        over();
      }),
    );
  }

  async #take(link: Link, message: Buffer): Promise<void> {
    const command = readCommand(message);
    const answer = (body: mongo.Document) => link.client.write(response(command, body));
    if (["hello", "ismaster"].includes(command.name)) return this.#respondToHello(link, command);
    if (command.name === "endsessions") return void answer({ ok: 1 });
    for (let turn: unknown; turn !== this.#admitted; ) {
      turn = this.#admitted;
      await turn;
    }
    if (link.member !== this.#primary) {
      this.refused++;
      return void answer(this.#failure(command, notWritablePrimary));
    }
    const term = this.#term;
    const reply = await this.#carryOut(link, command, message);
    if (this.#isolation && wantsMajority(command)) await this.#isolation.over.happened;
    if (!reply) return void link.client.destroy();
    if (this.#term !== term) answer(this.#failure(command, interrupted));
    else link.client.write(responseTo(command.id, reply));
  }

  /** Carries out a write once, even if it is retried. Returns null if the engine sent no response. */
  async #carryOut(link: Link, command: WireCommand, message: Buffer): Promise<Buffer | null> {
    const write = writeOf(command);
    const known = write && this.#written.get(write);
    if (known) {
      this.repeated++;
      return known;
    }
    const running = this.#run(link, command, this.#routed(command, message));
    if (write) {
      this.#written.set(write, running);
      this.#wrote.give();
      this.#wrote = signal();
    }
    return running;
  }

  #run({ engine, waiting }: Link, { id }: WireCommand, message: Buffer): Promise<Buffer | null> {
    const running = new Promise<Buffer | null>((resolve) => {
      waiting.set(id, resolve);
      if (engine.destroyed) resolve(null);
      else engine.write(message);
    });
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Removes the session, which the engine does not accept. A majority read of an isolated primary goes to the data before the isolation. */
  #routed(command: WireCommand, message: Buffer): Buffer {
    const { id, body } = command;
    const plain = without(["lsid", "txnNumber"], command, message);
    if (!this.#isolation || body.readConcern?.level !== "majority") return plain;
    const { lsid: _, ...read } = body;
    return request(id, { ...read, $db: `${body.$db}_majority` });
  }

  /** Reports the primary; to a monitor, again after every change. */
  async #respondToHello({ member, client }: Link, command: WireCommand): Promise<void> {
    const seen = command.body.topologyVersion?.counter;
    if (seen === undefined || !command.takesSeveral) {
      client.write(response(command, this.#hello(member)));
      return;
    }
    const patience = Number(command.body.maxAwaitTimeMS);
    let current = Number(seen) === this.#topology;
    for (let id = command.id, ownId = 1_000_000; !client.destroyed; id = ownId++) {
      if (current) await Promise.race([this.#changed.happened, elapsed(patience)]);
      client.write(response({ ...command, id }, this.#hello(member), { ownId, isLast: false }));
      current = true;
    }
  }

  #hello(member: number): mongo.Document {
    const isPrimary = member === this.#primary;
    return {
      helloOk: true,
      ismaster: isPrimary,
      isWritablePrimary: isPrimary,
      ok: 1,
      secondary: !isPrimary,
      setName,
      setVersion: 1,
      hosts: this.#hosts,
      me: this.#hosts[member],
      ...(this.#primary !== null && { primary: this.#hosts[this.#primary] }),
      ...(isPrimary && { electionId: new mongo.ObjectId(`${this.#term}`.padStart(24, "0")) }),
      lastWrite: {
        opTime: { ts: mongo.Timestamp.fromBits(1, 1), t: 1 },
        lastWriteDate: new Date(),
      },
      topologyVersion: this.#topologyVersion,
      logicalSessionTimeoutMinutes: 30,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      minWireVersion: 0,
      maxWireVersion: 21,
      readOnly: false,
      localTime: new Date(),
    };
  }

  get #topologyVersion(): mongo.Document {
    return { processId: this.#processId, counter: mongo.Long.fromNumber(this.#topology) };
  }

  #failure(command: WireCommand, error: { code: number; codeName: string }): mongo.Document {
    return {
      ok: 0,
      errmsg: error.codeName,
      ...error,
      ...(writeOf(command) && { errorLabels: ["RetryableWriteError"] }),
      topologyVersion: this.#topologyVersion,
    };
  }
}

/** The identity of a retryable write; null for other commands. */
function writeOf({ body: { lsid, txnNumber } }: WireCommand): string | null {
  return txnNumber === undefined ? null : `${lsid.id.toString("hex")} ${txnNumber}`;
}

/** Whether a command is a write with a write concern of majority, which is the default. */
function wantsMajority({ name, body }: WireCommand): boolean {
  if (!["insert", "update", "delete", "findandmodify"].includes(name)) return false;
  return (body.writeConcern?.w ?? "majority") === "majority";
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

/** Copies a database over another one. Returns how many documents that removes or changes. */
async function copyDatabase(from: string, to: string): Promise<number> {
  return withDatabase(from, (source) =>
    withDatabase(to, async (target) => {
      let changed = 0;
      const names = [...(await source.collections()), ...(await target.collections())];
      for (const name of new Set(names.map(({ collectionName }) => collectionName))) {
        const kept = { promoteValues: false, bsonRegExp: true };
        const all = (db: typeof source) => db.collection(name).find({}, kept).toArray();
        const before = new Set((await all(target)).map(fingerprint));
        const docs = await all(source);
        for (const doc of docs) before.delete(fingerprint(doc));
        changed += before.size;
        await target.collection(name).deleteMany({});
        if (docs.length > 0) await target.collection(name).insertMany(docs);
      }
      return changed;
    }),
  );
}

function fingerprint(doc: mongo.Document): string {
  return Buffer.from(mongo.BSON.serialize(doc)).toString("latin1");
}
