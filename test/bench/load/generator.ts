import type { Slice } from "../row.js";
import { Connection } from "./connection.js";
import { connections, type LoadSpec } from "./load-spec.js";

/** The time at the start of a slice that is not counted, while connections open and caches warm up. */
const leadInMs = 250;

/** Sends load to a server, and counts its responses. */
export class Generator {
  readonly #spec: LoadSpec;
  readonly #connections: readonly Connection[];
  readonly #keyPrefix = `bench-${process.pid}-${Date.now().toString(36)}`;
  #sent = 0;

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
    await this.#work(leadInMs);
    const before = performance.eventLoopUtilization();
    const done = await this.#work(milliseconds);
    const { utilization } = performance.eventLoopUtilization(before);
    return { ...done, generatorBusy: utilization };
  }

  async #work(milliseconds: number): Promise<Pick<Slice, "answers" | "milliseconds">> {
    const { cancelEvery } = this.#spec;
    let answers = 0;
    let took = 0;
    while (took < milliseconds) {
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
        const body = await connection.sendNext(this.#next());
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
