import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Answer } from "./answer.js";
import type { Target } from "./client.js";

/** A connection on which a test can write bytes that an HTTP client never sends. */
export class RawConnection {
  #received = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};

  private constructor(
    private readonly target: Target,
    private readonly socket: Socket,
  ) {
    socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("close", end).on("end", end).on("error", end);
  }

  static async open(target: Target): Promise<RawConnection> {
    const { hostname, port } = new URL(target.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    await once(socket, "connect");
    return new RawConnection(target, socket);
  }

  /** The code of the error with which a new connection is refused; undefined if it is not. */
  static refusal(target: Target): Promise<string | undefined> {
    return RawConnection.open(target).then(
      (connection) => void connection.cut(),
      ({ code }) => code,
    );
  }

  send(...parts: readonly (string | Uint8Array)[]): void {
    for (const part of parts) this.socket.write(part);
  }

  /** Ends the sending side. The response can still arrive. */
  finish(): void {
    this.socket.end();
  }

  cut(): void {
    this.socket.resetAndDestroy();
  }

  /** The status of the next message, which has no body: `100 Continue`. */
  async interim(): Promise<number> {
    const { status } = await this.#head();
    return status;
  }

  /**
   * The next response, checked like every other. `method` and `path` are those of the request, if it has them.
   * A response to `HEAD` has no body.
   */
  async answer(method: string, path: string): Promise<Answer> {
    const { status, headers } = await this.#head();
    const length = method === "HEAD" ? 0 : Number(headers.get("Content-Length"));
    await this.#until(() => this.#received.length >= length);
    const text = this.#take(length).toString();
    const answer = new Answer(status, headers, text);
    this.target.conformance?.check(method, new URL(path, this.target.url), answer);
    return answer;
  }

  /** Waits until the service ends the connection, and returns the unread bytes. */
  async ended(): Promise<string> {
    await this.#until(() => this.#ended);
    this.socket.destroy();
    return this.#received.toString("latin1");
  }

  async #head(): Promise<{ status: number; headers: Headers }> {
    const end = () => this.#received.indexOf("\r\n\r\n");
    await this.#until(() => end() >= 0);
    const [statusLine = "", ...lines] = this.#take(end() + 4)
      .toString("latin1")
      .trimEnd()
      .split("\r\n");
    const headers = new Headers();
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    return { status: Number(statusLine.split(" ")[1]), headers };
  }

  #take(length: number): Buffer {
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#ended) {
        throw new Error(`the connection ended after: ${this.#received.toString("latin1")}`);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A request as text: a line, headers, and a body. */
export function rawRequest(line: string, headers: readonly string[], body = ""): string {
  return `${[line, ...headers].join("\r\n")}\r\n\r\n${body}`;
}
