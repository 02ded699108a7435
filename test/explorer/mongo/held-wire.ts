import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { commandOf, messages } from "../../mongo/support/wire-messages.js";

/** The events of a wire. */
interface Watcher {
  /** A message arrived from the instance. */
  readonly sent: (requestId: number) => void;
  /** A reply is sent to the instance. */
  readonly answered: (requestId: number) => void;
  /** There was any activity. */
  readonly moved: () => void;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** The receivers of replies, by request id. */
  readonly waiting: Map<number, (answer: Buffer) => void>;
  /** The number of commands that arrived on it and have not been executed. */
  owed: number;
}

interface WireOptions {
  /** Receives each command, and returns whether it holds it. */
  readonly hold: (command: HeldCommand) => boolean;
  /** Can change a message before it goes to the database. */
  readonly adjust: (message: Buffer) => void;
  readonly watcher: Watcher;
}

/** A held command. */
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

  /** Sends it to the database and waits until it is executed. */
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

  /** Sends the reply to the instance. */
  answer(): void {
    if (!this.#answer) throw new Error(`${this.name} has no answer yet`);
    if (this.#pair.client.destroyed) return;
    this.#wire.watcher.answered(this.requestId);
    this.#pair.client.write(this.#answer);
  }

  /** Whether it contains the text as a whole value. */
  says(text: string): boolean {
    return this.#message.includes(`${text}\0`);
  }

  get isCarriedOut(): boolean {
    return this.#answer !== null;
  }

  /** Breaks its connection. It can still be executed. */
  breakConnection(): void {
    this.#pair.client.destroy();
  }
}

/**
 * The wire between one instance and the database. It offers every command to `hold`, and forwards the commands
 * that `hold` does not keep.
 */
export class HeldWire {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #options: WireOptions;
  /** The number of pending commands that are not held. */
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
      if (pair.owed === 0) upstream.destroy(); // pending replies can still arrive
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
        const receive = pair.waiting.get(requestId);
        pair.waiting.delete(requestId);
        receive?.(message);
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
