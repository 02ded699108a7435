import { Client } from "undici";
import type { Slice } from "./compare.js";
import { type Caller, connections, type LoadSpec } from "./load.js";

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

  /** Sends to the caller's next path, or to the one with this number. */
  sendNext(exchange: Omit<Exchange, "path">, at = this.#sent++): Promise<string> {
    const { paths } = this.#caller;
    return this.send({ ...exchange, path: paths[at % paths.length] ?? "/" });
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

/** The time at the start of a slice that is not counted, while connections open and caches warm up. */
const leadInMs = 250;

/** Sends load to a server, and counts its responses. */
export class Generator {
  readonly #spec: LoadSpec;
  readonly #connections: readonly Connection[];
  readonly #keyPrefix = `bench-${process.pid}-${Date.now().toString(36)}`;
  #sent = 0;
  #runs = -1;

  constructor(spec: LoadSpec) {
    this.#spec = spec;
    this.#connections = Array.from({ length: connections }, (_, at) => {
      const origin = spec.origins[at % spec.origins.length];
      const caller = spec.callers[at % spec.callers.length];
      if (!origin || !caller) throw new Error("there is nobody to send, or nothing to send to");
      return new Connection(origin, caller);
    });
  }

  async run(milliseconds: number): Promise<Slice> {
    this.#runs += 1;
    await this.#work(leadInMs);
    const before = performance.eventLoopUtilization();
    const done = await this.#work(milliseconds);
    const { utilization } = performance.eventLoopUtilization(before);
    return { ...done, generatorBusy: utilization };
  }

  async #work(milliseconds: number): Promise<Pick<Slice, "answers" | "milliseconds">> {
    const { cancelEvery, most = Infinity } = this.#spec;
    let answers = 0;
    let took = 0;
    while (took < milliseconds && answers < most) {
      const began = performance.now();
      const end = began + milliseconds - took;
      const created: string[] = [];
      answers += await this.#send(end, cancelEvery, created);
      took += performance.now() - began;
      await this.#cancel(created);
    }
    return { answers, milliseconds: took };
  }

  /** Sends on every connection until the end, and at most this many requests if their results are kept. */
  async #send(end: number, most: number | null, kept: string[]): Promise<number> {
    let started = 0;
    await this.#onEach(async (connection) => {
      while (performance.now() < end && started < (most ?? Infinity)) {
        started++;
        const at = this.#spec.pathEachRun ? this.#runs : undefined;
        const body = await connection.sendNext(this.#next(), at);
        if (most !== null) kept.push(body);
      }
    });
    return started;
  }

  #next() {
    const { method, headers, body, idempotencyKeys, status } = this.#spec;
    if (!idempotencyKeys) return { method, headers, body, status };
    const key = { "Idempotency-Key": `${this.#keyPrefix}-${this.#sent++}` };
    return { method, headers: { ...headers, ...key }, body, status };
  }

  async #cancel(created: readonly string[]): Promise<void> {
    const paths = created.map((body) => `/v1/entries/${JSON.parse(body).data.id}/cancel`);
    await this.#onEach(async (connection) => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        await connection.send({ method: "POST", path, headers: {}, body: null, status: 200 });
      }
    });
  }

  async #onEach(work: (connection: Connection) => Promise<void>): Promise<void> {
    await Promise.all(this.#connections.map(work));
  }
}
