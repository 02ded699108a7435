import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { commandOf, messages } from "../../mongo/support/wire-messages.js";

/** What the wire tells of what goes over it. */
interface Watcher {
  /** A message has come from the instance. */
  readonly sent: (requestId: number) => void;
  /** An answer goes on to the instance. */
  readonly answered: (requestId: number) => void;
  /** Anything at all has moved. */
  readonly moved: () => void;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Whom to tell the answer, by request id. */
  readonly waiting: Map<number, (answer: Buffer) => void>;
  /** Commands that came on it and have not been carried out. */
  owed: number;
}

interface WireOptions {
  /** Is offered each command, and says whether it keeps it. */
  readonly hold: (command: HeldCommand) => boolean;
  /** Has the last word on a message before it goes to the database. */
  readonly adjust: (message: Buffer) => void;
  readonly watcher: Watcher;
}

/** A command that has come and waits. */
export class HeldCommand {
  readonly name: string;
  readonly #pair: Pair;
  readonly #message: Buffer;
  readonly #wire: WireOptions;
  #answer: Buffer | null = null;

  constructor(pair: Pair, message: Buffer, wire: WireOptions) {
    this.name = commandOf(message);
    this.#pair = pair;
    this.#message = message;
    this.#wire = wire;
    pair.owed++;
  }

  get requestId(): number {
    return this.#message.readInt32LE(4);
  }

  /** Sends it on and waits until it is carried out. */
  async carryOut(): Promise<void> {
    const { client, upstream, waiting } = this.#pair;
    this.#answer = await new Promise<Buffer>((resolve) => {
      waiting.set(this.requestId, resolve);
      this.#wire.adjust(this.#message);
      upstream.write(this.#message);
    });
    this.#pair.owed--;
    if (client.destroyed) upstream.destroy();
  }

  /** Hands on the answer, after it was carried out. */
  answer(): void {
    if (!this.#answer) throw new Error(`${this.name} has no answer yet`);
    if (this.#pair.client.destroyed) return;
    this.#wire.watcher.answered(this.requestId);
    this.#pair.client.write(this.#answer);
  }

  /** Whether the text stands in it as a whole value. */
  says(text: string): boolean {
    return this.#message.includes(`${text}\0`);
  }

  get isCarriedOut(): boolean {
    return this.#answer !== null;
  }

  /** Breaks the connection that it came on; it can be carried out all the same. */
  breakConnection(): void {
    this.#pair.client.destroy();
  }
}

/**
 * The wire between one instance and the database, which offers every command to `hold`. What that
 * does not keep passes.
 */
export class HeldWire {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #options: WireOptions;
  /** How many commands that were not held are on their way. */
  underWay = 0;

  private constructor(databaseUrl: string, options: WireOptions) {
    this.#target = new URL(databaseUrl);
    this.#options = options;
    this.#server = createServer((client) => this.#join(client));
  }

  static async to(databaseUrl: string, options: WireOptions): Promise<HeldWire> {
    const wire = new HeldWire(databaseUrl, options);
    await new Promise<void>((resolve) => wire.#server.listen(0, "127.0.0.1", resolve));
    return wire;
  }

  /** The database at the other end, with these settings. */
  url(settings: Readonly<Record<string, string | number | boolean>>): string {
    const { port } = this.#server.address() as AddressInfo;
    const query = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    return `mongodb://127.0.0.1:${port}${this.#target.pathname}?${query.join("&")}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const { client, upstream } of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
    await closed;
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port || 27_017), this.#target.hostname);
    const pair: Pair = { client, upstream, waiting: new Map(), owed: 0 };
    this.#pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on("error", () => {});
    }
    client.on("close", () => {
      this.#options.watcher.moved();
      if (pair.owed === 0) upstream.destroy(); // what it owes can still arrive
    });
    upstream.on("close", () => {
      client.destroy();
      this.#pairs.delete(pair);
    });
    client.on(
      "data",
      messages((message) => this.#take(pair, message)),
    );
    upstream.on(
      "data",
      messages((message) => {
        this.#options.watcher.moved();
        const requestId = message.readInt32LE(8);
        const tell = pair.waiting.get(requestId);
        pair.waiting.delete(requestId);
        tell?.(message);
      }),
    );
  }

  #take(pair: Pair, message: Buffer): void {
    const requestId = message.readInt32LE(4);
    this.#options.watcher.moved();
    this.#options.watcher.sent(requestId);
    const command = new HeldCommand(pair, message, this.#options);
    if (this.#options.hold(command)) return;
    this.underWay++;
    void command.carryOut().then(() => {
      this.underWay--;
      command.answer();
    });
  }
}
