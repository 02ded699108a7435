import { randomBytes } from "node:crypto";
import type { Store } from "@queue-api/server";
import { QueueApi } from "../../sdk/src/client.js";
import type { Hooks, ResponseEvent } from "../../sdk/src/hooks.js";
import type { Connect } from "../../server/src/simulation/api-client.ts";
import type { SimulationEvent, SimulationSummary } from "../../server/src/simulation/report.ts";
import { type SimulationOptions, simulate } from "../../server/src/simulation/simulation.ts";
import type { Sleep } from "../../server/src/simulation/story-time.ts";
import type { VirtualClock } from "../sdk/support/virtual-clock.js";

/** What time a simulation lives in, and what answers it. */
export interface StageOptions {
  readonly store: Store;
  /** Where the service is. */
  readonly url: () => string;
  readonly clock: VirtualClock;
  /** Requests that the service keeps waiting for ever. Default: none. */
  readonly hanging?: () => number;
  /** Whether others have something to do. Default: nobody has. */
  readonly othersAreBusy?: () => boolean;
}

/** A simulation whose time a test holds in its hands: it passes only while nobody has anything to do. */
export class Stage {
  readonly events: SimulationEvent[] = [];
  readonly responses: (ResponseEvent & { readonly at: number })[] = [];
  readonly troubles: string[] = [];
  readonly clock: VirtualClock;
  readonly #options: StageOptions;
  readonly #ending = new AbortController();
  #underWay = 0;
  #playing: Promise<SimulationSummary> | null = null;

  constructor(options: StageOptions) {
    this.#options = options;
    this.clock = options.clock.install();
  }

  /** Lets a simulation begin; its time passes in the other methods. */
  begin(
    options: Pick<SimulationOptions, "business"> & Partial<SimulationOptions>,
  ): Promise<SimulationSummary> {
    this.#playing = simulate({
      store: this.#options.store,
      seed: 1,
      speed: 60,
      connect: this.#connect,
      clock: this.clock.now,
      sleep: sleeping(this.clock),
      random: randomBytes,
      tell: (event) => this.events.push(event),
      trouble: (line) => this.troubles.push(line),
      signal: this.#ending.signal,
      ...options,
    });
    this.#playing.catch(() => {}); // whoever waits for it meets the failure
    return this.#playing;
  }

  /** Lets time pass until something holds. */
  async until(holds: () => boolean): Promise<void> {
    const playing = this.#playing;
    if (!playing) throw new Error("nothing has begun");
    const ended = playing.then(() => {
      throw new Error("the simulation has ended before");
    });
    await Promise.race([ended, this.clock.untilTrue(holds, () => this.isBusy)]);
  }

  /** Lets time pass until the clinic's clock shows so many minutes after its opening at nine. */
  untilMinutes(minutes: number): Promise<void> {
    const time = (event: SimulationEvent) => {
      const [hours = 0, rest = 0] = event.time.split(":").map(Number);
      return (event.day - 1) * 720 + (hours - 9) * 60 + rest;
    };
    return this.until(() => this.events.some((event) => time(event) >= minutes));
  }

  /** Lets time pass until the simulation ends by itself; tells how. */
  async failure(playing: Promise<unknown>): Promise<unknown> {
    const failed = playing.then(
      () => new Error("the simulation ended without a failure"),
      (error: unknown) => error,
    );
    return this.clock.until(failed, () => this.isBusy);
  }

  /** Tells the simulation to end and lets time pass until it has. */
  async end(): Promise<SimulationSummary> {
    if (!this.#playing) throw new Error("nothing has begun");
    this.#ending.abort();
    return this.clock.until(this.#playing, () => this.isBusy);
  }

  /** Events of one kind. */
  of<Kind extends SimulationEvent["event"]>(kind: Kind) {
    return this.events.filter(
      (event): event is Extract<SimulationEvent, { event: Kind }> => event.event === kind,
    );
  }

  /** Somebody works, as long as nobody waits for time to pass. */
  get isBusy(): boolean {
    const hanging = this.#options.hanging?.() ?? 0;
    if (this.#options.othersAreBusy?.()) return true;
    return this.#underWay > hanging || this.clock.pending === 0;
  }

  readonly #watch: Hooks = {
    onRequest: () => {
      this.#underWay += 1;
    },
    onResponse: (event) => {
      this.#underWay -= 1;
      this.responses.push({ ...event, at: this.clock.now() });
    },
  };

  readonly #connect: Connect = (apiKey, hooks) =>
    new QueueApi({
      apiKey,
      baseUrl: this.#options.url(),
      maxRetries: Number.MAX_SAFE_INTEGER,
      totalTimeoutMs: Number.POSITIVE_INFINITY,
      hooks: [hooks, this.#watch],
    });
}

/** Lets time pass on a clock that a test holds in its hands. */
export function sleeping(clock: VirtualClock): Sleep {
  return (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        clock.clearTimer(timer);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = clock.setTimer(wake, ms);
      signal.addEventListener("abort", wake);
    });
}
