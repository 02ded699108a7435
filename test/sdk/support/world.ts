import { QueueApi } from "../../../sdk/src/client.js";
import type { Hooks, ResponseEvent, RetryReason, WaitEvent } from "../../../sdk/src/hooks.js";
import type { QueueApiOptions } from "../../../sdk/src/options.js";
import { apiKey } from "./examples.js";
import type { FaultServer } from "./fault-server.js";
import { VirtualClock } from "./virtual-clock.js";

/** A client whose time a test controls, and a record of its requests. */
export class World {
  readonly api: QueueApi;
  readonly clock: VirtualClock;
  readonly responses: ResponseEvent[] = [];
  readonly waits: WaitEvent[] = [];
  #inFlight = 0;
  readonly #watchers = new Set<(event: WaitEvent) => void>();
  readonly #hanging: () => number;

  constructor(
    options: QueueApiOptions,
    { clock = new VirtualClock(), hanging = () => 0 }: WorldParts = {},
  ) {
    this.clock = clock.install();
    this.#hanging = hanging;
    const hooks: Hooks = {
      onRequest: () => {
        this.#inFlight += 1;
      },
      onResponse: (event) => {
        this.#inFlight -= 1;
        this.responses.push(event);
      },
      onWait: (event) => {
        this.waits.push(event);
        for (const notify of this.#watchers) notify(event);
      },
    };
    this.api = new QueueApi({ apiKey, baseUrl: "http://queue.example", ...options, hooks });
  }

  /** A client of a server that misbehaves. */
  static of(server: FaultServer, options: QueueApiOptions = {}): World {
    return new World({ baseUrl: server.url, ...options }, { hanging: () => server.hanging });
  }

  /** The waits before retries. */
  get retries(): WaitEvent[] {
    return this.waits.filter(({ reason }) => reason !== "pacing");
  }

  /** Runs a call to its end. Time passes only while no request is pending, or while a request hangs. */
  run<Result>(call: Promise<Result>): Promise<Result> {
    return this.clock.until(call, () => this.isBusy);
  }

  /** Whether a request is pending that gets a response. */
  get isBusy(): boolean {
    return this.#inFlight > this.#hanging();
  }

  /** Runs a call up to its next retry for that reason. */
  retry(call: Promise<unknown>, reason: RetryReason): Promise<WaitEvent> {
    const retried = new Promise<WaitEvent>((resolve) => {
      this.#watchers.add((event) => event.reason === reason && resolve(event));
    });
    const ended = call.then(() => {
      throw new Error(`the call ended without a retry for ${reason}`);
    });
    return this.run(Promise.race([retried, ended]));
  }

  /** The error with which a call fails. */
  async failure(call: Promise<unknown>): Promise<unknown> {
    return this.run(call).then(
      () => {
        throw new Error("the call succeeded");
      },
      (error: unknown) => error,
    );
  }
}

interface WorldParts {
  readonly clock?: VirtualClock;
  /** The number of requests that never get a response. */
  readonly hanging?: () => number;
}
