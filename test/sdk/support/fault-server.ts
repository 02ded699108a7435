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

/** What a behaviour returns if it sends nothing more and leaves the connection open. */
const stalled = Symbol("stalled");

/** Answers a request, or lets it fail, on its connection. */
export type Behaviour = (socket: Socket, request: Arrived) => unknown;

/** A server that Node reads requests for. A test decides which bytes answer each request. */
export class FaultServer {
  url = "";
  readonly requests: Arrived[] = [];
  readonly #server = createServer((request) => this.#serve(request));
  readonly #stalled = new Set<Socket>();
  readonly #behave: Behaviour;

  private constructor(behave: Behaviour) {
    this.#behave = behave;
  }

  /** Listens until the test ends. */
  static async start(behave: Behaviour): Promise<FaultServer> {
    const server = new FaultServer(behave);
    server.url = await listen(server.#server);
    onTestFinished(() => {
      server.#server.closeAllConnections();
      server.#server.close();
    });
    return server;
  }

  /** The number of requests without a response. */
  get hanging(): number {
    return this.#stalled.size;
  }

  async #serve(request: IncomingMessage): Promise<void> {
    const { socket, method = "", url: path = "" } = request;
    const headers = new Map(Object.entries(request.headers as Record<string, string>));
    const arrived = { method, path, headers, body: await text(request) };
    this.requests.push(arrived);
    if (this.#behave(socket, arrived) !== stalled) return;
    this.#stalled.add(socket);
    socket.on("close", () => this.#stalled.delete(socket));
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

/** Begins each response and never ends it. */
export const stall =
  (beginning: string): Behaviour =>
  (socket) => {
    socket.write(beginning);
    return stalled;
  };

/** Handles every request in the same way. */
export const always =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (socket) =>
    socket.write(httpAnswer(status, JSON.stringify(body), headers));
