import { createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

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

/** A server on a real socket. A test decides how it handles each request. */
export class FaultServer {
  readonly requests: Arrived[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #hanging = new Set<Socket>();
  #behave: Behaviour;

  private constructor(behave: Behaviour) {
    this.#behave = behave;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Listens until the test ends. */
  static async start(behave: Behaviour): Promise<FaultServer> {
    const server = new FaultServer(behave);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      if (server.#server.listening) await server.stop();
    });
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** The number of requests without a response. */
  get hanging(): number {
    return this.#hanging.size;
  }

  behave(behave: Behaviour): void {
    this.#behave = behave;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    let received = "";
    this.#sockets.add(socket);
    socket.on("error", () => {}); // a client that disconnects resets the connection
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#hanging.delete(socket);
    });
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      for (let request = take(); request; request = take()) {
        this.requests.push(request);
        const connection = new FaultConnection(socket, (held) => this.#hanging.add(held));
        this.#behave(connection, request);
      }
    });
    const take = (): Arrived | null => {
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) return null;
      const [line = "", ...lines] = received.slice(0, end).split("\r\n");
      const [method = "", path = ""] = line.split(" ");
      const headers = new Map(
        lines.map((header) => {
          const colon = header.indexOf(":");
          return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
        }),
      );
      const length = Number(headers.get("content-length") ?? 0);
      if (received.length < end + 4 + length) return null;
      const body = received.slice(end + 4, end + 4 + length);
      received = received.slice(end + 4 + length);
      return { method, path, headers, body };
    };
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
