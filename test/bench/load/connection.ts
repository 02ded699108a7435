import { Client } from "undici";

/** A request, and the status that its answer must have. */
export interface Exchange {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly status: number;
}

/** One keep-alive connection to a server. */
export class Connection {
  readonly #client: Client;

  constructor(origin: string) {
    this.#client = new Client(origin, { pipelining: 1 });
  }

  /** Sends a request and returns the body of its answer. Fails when the status is another one. */
  async send({ method, path, headers, body, status }: Exchange): Promise<string> {
    const answer = await this.#client.request({ method, path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== status) {
      throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`);
    }
    return text;
  }
}
