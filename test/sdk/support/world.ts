import { QueueApi } from "../../../sdk/src/client.js";
import type { Hooks, ResponseEvent, RetryEvent } from "../../../sdk/src/hooks.js";
import type { QueueApiOptions } from "../../../sdk/src/options.js";
import type { RetryReason } from "../../../sdk/src/transport/retry.js";
import { apiKey } from "./examples.js";
import type { FaultServer } from "./fault-server.js";
import { VirtualClock } from "./virtual-clock.js";

/** A client whose time a test holds in its hands, and what it did. */
export class World {
  readonly api: QueueApi;
  readonly clock: VirtualClock;
  readonly responses: ResponseEvent[] = [];
  readonly retries: RetryEvent[] = [];
  #underWay = 0;
  readonly #watchers = new Set<(event: RetryEvent) => void>();
  readonly #hanging: () => number;

  constructor(
    options: QueueApiOptions,
    { clock = new VirtualClock(), hanging = () => 0 }: WorldParts = {},
  ) {
    this.clock = clock.install();
    this.#hanging = hanging;
    const hooks: Hooks = {
      onRequest: () => {
        this.#underWay += 1;
      },
      onResponse: (event) => {
        this.#underWay -= 1;
        this.responses.push(event);
      },
      onRetry: (event) => {
        this.retries.push(event);
        for (const tell of this.#watchers) tell(event);
      },
    };
    this.api = new QueueApi({ apiKey, ...options, hooks });
  }

  /** A client of a server that misbehaves. */
  static of(server: FaultServer, options: QueueApiOptions = {}): World {
    return new World({ baseUrl: server.url, ...options }, { hanging: () => server.hanging });
  }

  /** Lets a call run to its end; time passes only while no request is under way, or while it hangs. */
  run<Result>(call: Promise<Result>): Promise<Result> {
    return this.clock.until(call, () => this.isBusy);
  }

  /** Whether a request is under way that will be answered. */
  get isBusy(): boolean {
    return this.#underWay > this.#hanging();
  }

  /** Lets a call run to its next retry for that reason, and no further. */
  retry(call: Promise<unknown>, reason: RetryReason): Promise<RetryEvent> {
    const retried = new Promise<RetryEvent>((resolve) => {
      this.#watchers.add((event) => event.reason === reason && resolve(event));
    });
    const ended = call.then(() => {
      throw new Error(`the call ended without a retry for ${reason}`);
    });
    return this.run(Promise.race([retried, ended]));
  }

  /** The error that a call fails with. */
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
  /** Requests that the server keeps waiting for ever. */
  readonly hanging?: () => number;
}
