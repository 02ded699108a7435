import { QueueApi } from "../../../sdk/src/client.js";
import type { Hooks, ResponseEvent, WaitEvent } from "../../../sdk/src/hooks.js";
import type { QueueApiOptions } from "../../../sdk/src/options.js";
import { apiKey } from "./examples.js";
import type { FaultServer } from "./fault-server.js";
import { VirtualClock } from "./virtual-clock.js";

/** A client whose time a test controls, and a record of its requests. */
export class World {
  readonly api: QueueApi;
  readonly clock = new VirtualClock();
  readonly responses: ResponseEvent[] = [];
  readonly waits: WaitEvent[] = [];
  #inFlight = 0;
  readonly #hanging: () => number;

  /** @param hanging - The number of requests that never get a response. */
  constructor(options: QueueApiOptions, hanging = () => 0) {
    this.#hanging = hanging;
    const record: Hooks = {
      onRequest: () => {
        this.#inFlight += 1;
      },
      onResponse: (event) => {
        this.#inFlight -= 1;
        this.responses.push(event);
      },
      onWait: (event) => void this.waits.push(event),
    };
    const hooks = [record, ...[options.hooks ?? []].flat()];
    this.api = new QueueApi({ apiKey, baseUrl: "http://queue.example", ...options, hooks });
  }

  /** A client of a server that misbehaves. */
  static of(server: FaultServer, options: QueueApiOptions = {}): World {
    return new World({ baseUrl: server.url, ...options }, server.hanging);
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

  /** Lets time pass until calls have been told of this many waits before a retry. */
  untilRetry(count = 1): Promise<void> {
    const isBusy = () => this.isBusy;
    return this.clock.untilTrue(() => this.retries.length >= count, isBusy);
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
