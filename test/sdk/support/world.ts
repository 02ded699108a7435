import { vi } from "vitest";
import { QueueApi } from "../../../sdk/src/client.js";
import type { Hooks, ResponseEvent, WaitEvent } from "../../../sdk/src/hooks.js";
import type { QueueApiOptions } from "../../../sdk/src/options.js";
import { apiKey } from "./examples.js";
import type { FaultServer } from "./fault-server.js";
import { holdTime, turnOfTheLoop } from "./virtual-clock.js";

/** A client whose time a test controls, and a record of its requests. */
export class World {
  readonly api: QueueApi;
  readonly responses: ResponseEvent[] = [];
  readonly waits: WaitEvent[] = [];
  #inFlight = 0;
  readonly #hanging: () => number;

  /** @param hanging - The number of requests that never get a response. */
  constructor(options: QueueApiOptions, hanging = () => 0) {
    holdTime();
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

  /** Lets time pass until a call has ended. */
  async run<Result>(call: Promise<Result>, isBusy?: () => boolean): Promise<Result> {
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
    };
    call.then(end, end);
    await this.until(() => hasEnded, isBusy);
    return call;
  }

  /** Lets time pass, timer by timer, until a condition is true. It stands still while a request is pending. */
  async until(holds: () => boolean, isBusy = () => this.#inFlight > this.#hanging()) {
    const end = performance.now() + 24 * 60 * 60_000;
    while (performance.now() < end) {
      await turnOfTheLoop();
      await turnOfTheLoop(); // the first turn can have set timers
      if (holds()) return;
      if (isBusy()) continue;
      if (vi.getTimerCount() === 0) throw new Error("nothing is left to wait for");
      vi.advanceTimersToNextTimer();
    }
    throw new Error("a day has passed, and the condition is not true");
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
