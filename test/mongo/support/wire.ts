import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { commandOf, messages, readCommand, response } from "./wire-messages.js";

const writeConflict = 112;

interface Hold {
  readonly command: string;
  /** Sends the held message; null until it has arrived. */
  passing: (() => void) | null;
  readonly reach: () => void;
}

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
  #delayMs = 0;
  #mostConnections = Number.POSITIVE_INFINITY;
  #toLose: string | null = null;
  #held: Hold | null = null;
  #conflicts = { command: "", times: 0, writes: 1, code: writeConflict };
  /** How many responses were lost. */
  lost = 0;

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

  /** Delays every message by this time, in each direction. */
  slow(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  /** Allows at most this many connections, and ends those above the limit. */
  limit(connections: number): void {
    this.#mostConnections = connections;
    for (const pair of [...this.#pairs].slice(connections)) this.#end(pair);
  }

  /**
   * Drops the next response to this command and ends the connection, after the command was carried out. A
   * command is given as `insert`, or with its collection as `insert entries`.
   */
  loseNextResponse(command: string): void {
    this.#toLose = command;
  }

  /** Holds the next such command until it is released. */
  holdNext(command: string): { readonly reached: Promise<void>; release(): void } {
    const hold = { command, passing: null as (() => void) | null, reach: () => {} };
    const reached = new Promise<void>((resolve) => {
      hold.reach = resolve;
    });
    this.#held = hold;
    return { reached, release: () => hold.passing?.() };
  }

  /**
   * Responds to the next such commands as a server that ended each of their writes because of a conflict, and
   * does not pass them on.
   */
  conflictNext(command: string, { times = 1, writes = 1, code = writeConflict } = {}): void {
    this.#conflicts = { command, times, writes, code };
  }

  async close(): Promise<void> {
    await this.cut();
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port || 27_017), this.#target.hostname);
    const pair = { client, upstream };
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.#end(pair));
      socket.on("close", () => this.#end(pair));
    }
    if (this.#pairs.size >= this.#mostConnections) {
      client.destroy();
      upstream.destroy();
      return;
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

  #send(place: string, { client, upstream }: Pair, message: Buffer): void {
    const command = commandOf(message);
    if (this.#conflicts.times > 0 && command.startsWith(this.#conflicts.command)) {
      this.#conflicts.times--;
      client.write(conflictOf(message, this.#conflicts));
      return;
    }
    this.#commands.set(`${place} ${message.readInt32LE(4)}`, command);
    if (this.#held?.passing === null && command.startsWith(this.#held.command)) {
      this.#held.passing = () => upstream.write(message);
      this.#held.reach();
      return;
    }
    this.#later(() => upstream.write(message));
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
    this.#later(() => pair.client.write(message));
  }

  #later(pass: () => void): void {
    if (this.#delayMs === 0) pass();
    else setTimeout(pass, this.#delayMs);
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

function conflictOf(message: Buffer, { writes, code }: { writes: number; code: number }): Buffer {
  const command = readCommand(message);
  const conflict = { code, errmsg: "deadlock detected" };
  const writeErrors = Array.from({ length: writes }, (_, index) => ({ index, ...conflict }));
  const isWhole = command.name === "findandmodify";
  return response(command, isWhole ? { ok: 0, ...conflict } : { ok: 1, n: 0, writeErrors });
}
