import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { commandOf, messages, response } from "./wire-messages.js";

const writeConflict = 112;

/** How a server refuses a command that only the primary takes, and how it ends one when it is primary no longer. */
const notPrimary = { ok: 0, code: 10_107, errmsg: "not primary" };
const interrupted = {
  ok: 0,
  code: 11_602,
  errmsg: "interrupted by the election of another primary",
};

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

/**
 * A proxy between a service and its database that causes faults on request. It passes messages on
 * unchanged, and reads only the names of the commands.
 */
export class Wire {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #commands = new Map<string, string>();
  #port = 0;
  #frozen = false;
  /** The beginning of the command from which on it is silent; null if it is not. */
  #silentFrom: string | null = null;
  #toDrop: string | null = null;
  #toLose: string | null = null;
  /** The messages that monitors wait for during an election; null while there is a primary. */
  #election: (() => void)[] | null = null;
  #conflicts = { command: "", times: 0, code: writeConflict };
  /** How many responses were lost. */
  lost = 0;
  /** How many commands were refused because there was no primary. */
  refused = 0;

  private constructor(
    databaseUrl: string,
    readonly settings: Readonly<Record<string, number>>,
  ) {
    this.#target = new URL(databaseUrl);
    this.#server = createServer((client) => this.#join(client));
  }

  /** Starts a proxy whose URL has these settings. */
  static async to(databaseUrl: string, settings: Record<string, number> = {}): Promise<Wire> {
    const wire = new Wire(databaseUrl, settings);
    await wire.restore();
    return wire;
  }

  /** The URL of the proxy. */
  get url(): string {
    const settings = Object.entries({ directConnection: true, ...this.settings })
      .map(([name, value]) => `${name}=${value}`)
      .join("&");
    return `mongodb://127.0.0.1:${this.#port}${this.#target.pathname}?${settings}`;
  }

  /** Ends every connection and accepts no new one, like a server that is gone. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#endAll();
    await closed;
  }

  /** Accepts connections again, on the same port. */
  async restore(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Keeps connections open, and passes nothing on in either direction. */
  freeze(): void {
    this.#frozen = true;
    for (const { client, upstream } of this.#pairs) {
      client.pause();
      upstream.pause();
    }
  }

  thaw(): void {
    this.#frozen = false;
    for (const { client, upstream } of this.#pairs) {
      client.resume();
      upstream.resume();
    }
  }

  /** From the next command with this name on, passes on only what asks the server what it is, like a server that hangs. */
  silence(command: string): void {
    this.#silentFrom = command;
  }

  /**
   * Drops the next response to this command and ends the connection, after the command was carried out. A
   * command is given as `insert`, or with its collection as `insert entries`.
   */
  loseNextResponse(command: string): void {
    this.#toLose = command;
  }

  /** Ends the connection on the next such command, before it reaches the server. */
  loseNextRequest(command: string): void {
    this.#toDrop = command;
  }

  /**
   * Lets the server be primary no longer, until `elect`. Commands that run are carried out without a result for the
   * client: the server refuses them and all later ones, or closes its connections. Nobody learns of a primary.
   */
  stepDown(how: "answering" | "closing"): void {
    this.#election = [];
    if (how === "closing") this.#endAll();
  }

  /** Lets the server be primary again. */
  elect(): void {
    const waiting = this.#election ?? [];
    this.#election = null;
    for (const pass of waiting) pass();
  }

  /** Responds to the next such commands as a server that ended their write because of a conflict. */
  conflictNext(command: string, { times = 1, code = writeConflict } = {}): void {
    this.#conflicts = { command, times, code };
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port || 27_017), this.#target.hostname);
    const pair = { client, upstream };
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.#end(pair));
      socket.on("close", () => this.#end(pair));
    }
    this.#pairs.add(pair);
    const place = `${client.remotePort}`;
    client.on(
      "data",
      messages((message) => this.#send(place, pair, message)),
    );
    upstream.on(
      "data",
      messages((message) => this.#answer(place, pair, message)),
    );
    if (this.#frozen) {
      client.pause();
      upstream.pause();
    }
  }

  #send(place: string, pair: Pair, message: Buffer): void {
    const { client, upstream } = pair;
    const command = commandOf(message);
    if (this.#silentFrom !== null && !isHello(command) && command.startsWith(this.#silentFrom)) {
      this.#silentFrom = "";
      return;
    }
    if (this.#toDrop !== null && command.startsWith(this.#toDrop)) {
      this.#toDrop = null;
      this.#end(pair);
      return;
    }
    if (this.#conflicts.times > 0 && command.startsWith(this.#conflicts.command)) {
      this.#conflicts.times--;
      const { code } = this.#conflicts;
      const writeErrors = [{ index: 0, code, errmsg: "deadlock detected" }];
      client.write(response(message.readInt32LE(4), { ok: 1, n: 0, writeErrors }));
      return;
    }
    if (this.#election) {
      if (isHello(command)) {
        this.#election.push(() => this.#send(place, pair, message));
        return;
      }
      this.refused++;
      client.write(response(message.readInt32LE(4), notPrimary));
      return;
    }
    this.#commands.set(`${place} ${message.readInt32LE(4)}`, command);
    upstream.write(message);
  }

  #answer(place: string, pair: Pair, message: Buffer): void {
    const answered = `${place} ${message.readInt32LE(8)}`;
    const command = this.#commands.get(answered);
    this.#commands.delete(answered);
    if (this.#toLose !== null && command?.startsWith(this.#toLose)) {
      this.#toLose = null;
      this.lost++;
      this.#end(pair);
      return;
    }
    if (!this.#election) pair.client.write(message);
    else if (isHello(command)) this.#election.push(() => pair.client.write(message));
    else pair.client.write(response(message.readInt32LE(8), interrupted));
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  }

  #endAll(): void {
    for (const pair of this.#pairs) this.#end(pair);
  }
}

/** Whether a command asks a server what it is. It has one response and then, without being asked, others. */
function isHello(command = "hello"): boolean {
  return /^(hello|ismaster)/i.test(command);
}
