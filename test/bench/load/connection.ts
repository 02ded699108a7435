import { Client } from "undici";
import type { Caller } from "./load-spec.js";

/** A request, and the required status of its response. */
interface Exchange {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly status: number;
}

/** One keep-alive connection to a server, from one caller. */
export class Connection {
  readonly #client: Client;
  readonly #caller: Caller;
  #sent = 0;

  constructor(origin: string, caller: Caller) {
    this.#client = new Client(origin, { pipelining: 1 });
    this.#caller = caller;
  }

  /** Sends to the caller's next path. */
  sendNext(exchange: Omit<Exchange, "path">): Promise<string> {
    const { paths } = this.#caller;
    return this.send({ ...exchange, path: paths[this.#sent++ % paths.length] ?? "/" });
  }

  /** Sends a request and returns the body of its response. Rejects if the status differs. */
  async send(exchange: Exchange): Promise<string> {
    const { method, path, body, status } = exchange;
    const headers = { authorization: `Bearer ${this.#caller.key}`, ...exchange.headers };
    const answer = await this.#client.request({ method, path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== status) {
      throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`);
    }
    return text;
  }
}
