import { randomBytes } from "node:crypto";
import type { Store } from "@queue-api/server";
import { QueueApi } from "../../sdk/src/client.js";
import type { Hooks, ResponseEvent } from "../../sdk/src/hooks.js";
import type { Connect } from "../../server/src/simulation/api-client.ts";
import type { SimulationEvent, SimulationSummary } from "../../server/src/simulation/report.ts";
import { type SimulationOptions, simulate } from "../../server/src/simulation/simulation.ts";
import type { Sleep } from "../../server/src/simulation/story-time.ts";
import type { VirtualClock } from "../sdk/support/virtual-clock.js";

/** The clock of a simulation, and the service that responds to it. */
export interface StageOptions {
  readonly store: Store;
  /** The address of the service. */
  readonly url: () => string;
  readonly clock: VirtualClock;
  /** The number of requests that never get a response. Default: none. */
  readonly hanging?: () => number;
  /** Whether others have work under way. Default: no. */
  readonly othersAreBusy?: () => boolean;
}

/** A simulation on a test's clock. Time advances only while no work is under way. */
export class Stage {
  readonly events: SimulationEvent[] = [];
  readonly responses: (ResponseEvent & { readonly at: number })[] = [];
  readonly outages: string[] = [];
  readonly clock: VirtualClock;
  readonly #options: StageOptions;
  readonly #ending = new AbortController();
  #underWay = 0;
  #playing: Promise<SimulationSummary> | null = null;

  constructor(options: StageOptions) {
    this.#options = options;
    this.clock = options.clock.install();
  }

  /** Starts a simulation. The other methods advance its time. */
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
      onEvent: (event) => this.events.push(event),
      onOutage: (line) => this.outages.push(line),
      signal: this.#ending.signal,
      ...options,
    });
    this.#playing.catch(() => {}); // the test that awaits it gets the error
    return this.#playing;
  }

  /** Advances the time until a condition is true. */
  async until(holds: () => boolean): Promise<void> {
    const playing = this.#playing;
    if (!playing) throw new Error("nothing has begun");
    const ended = playing.then(() => {
      throw new Error("the simulation has ended before");
    });
    await Promise.race([ended, this.clock.untilTrue(holds, () => this.isBusy)]);
  }

  /** Advances the time until this number of minutes after the clinic opens at nine. */
  untilMinutes(minutes: number): Promise<void> {
    const time = (event: SimulationEvent) => {
      const [hours = 0, rest = 0] = event.time.split(":").map(Number);
      return (event.day - 1) * 720 + (hours - 9) * 60 + rest;
    };
    return this.until(() => this.events.some((event) => time(event) >= minutes));
  }

  /** Advances the time until the simulation fails, and returns the error. */
  async failure(playing: Promise<unknown>): Promise<unknown> {
    const failed = playing.then(
      () => new Error("the simulation ended without a failure"),
      (error: unknown) => error,
    );
    return this.clock.until(failed, () => this.isBusy);
  }

  /** Ends the simulation, and advances the time until it has ended. */
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

  /** Whether work is under way: a request is pending, or no timer waits for the clock. */
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

/** A sleep on a test's clock. */
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
