import { createServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "../../support/listen.js";

/** A received request. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** How a server handles a request. */
export type Behaviour = (connection: FaultConnection, request: Arrived) => void;

/** A connection on which a test causes faults. */
class FaultConnection {
  readonly #socket: Socket;
  readonly #hold: (socket: Socket) => void;

  constructor(socket: Socket, hold: (socket: Socket) => void) {
    this.#socket = socket;
    this.#hold = hold;
  }

  write(text: string): this {
    this.#socket.write(text);
    return this;
  }

  /** Closes the connection after the written bytes. */
  close(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Sends nothing more and keeps the connection open. */
  hang(): void {
    this.#hold(this.#socket);
  }
}

/** A server that Node reads requests for. A test decides which bytes answer each request. */
export class FaultServer {
  url = "";
  readonly requests: Arrived[] = [];
  readonly #server = createServer((request) => this.#serve(request));
  readonly #sockets = new Set<Socket>();
  readonly #hanging = new Set<Socket>();
  readonly #behave: Behaviour;

  private constructor(behave: Behaviour) {
    this.#behave = behave;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#hanging.delete(socket);
      });
    });
  }

  /** Listens until the test ends. */
  static async start(behave: Behaviour): Promise<FaultServer> {
    const server = new FaultServer(behave);
    server.url = await listen(server.#server);
    onTestFinished(async () => {
      if (server.#server.listening) await server.stop();
    });
    return server;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** The number of requests without a response. */
  get hanging(): number {
    return this.#hanging.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage): Promise<void> {
    const { socket, method = "", url: path = "" } = request;
    const headers = new Map(Object.entries(request.headers as Record<string, string>));
    const arrived = { method, path, headers, body: await text(request) };
    this.requests.push(arrived);
    this.#behave(new FaultConnection(socket, (held) => this.#hanging.add(held)), arrived);
  }
}

/** A response as text. */
export function httpAnswer(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const all = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n${body}`;
}

/** Handles every request in the same way. */
export const always =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (connection) =>
    connection.write(httpAnswer(status, JSON.stringify(body), headers));
