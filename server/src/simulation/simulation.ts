import { AbortError } from "@queue-api/sdk";
import { findBusiness } from "../owner/business.js";
import type { Clock, Random } from "../rules/ports.js";
import type { Business } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { StoreUnavailableError } from "../store/store-unavailable-error.js";
import { Caller, type Connect } from "./api-client.js";
import { Counter } from "./counter.js";
import { Outages, SimulationError, untilReachable } from "./failures.js";
import { Lookout, Performer, type Scene, takesTokens } from "./performer.js";
import { Narrator, type SimulationEvent, type SimulationSummary } from "./report.js";
import { SimulationKey } from "./simulation-key.js";
import { Story } from "./story.js";
import { Pace, type Sleep } from "./story-time.js";

/** The options of {@link simulate}. */
export interface SimulationOptions {
  /** The database of the service. The simulation calls and serves customers in it, as the owner does. */
  readonly store: Store;
  /** Slug of the business, which must be a sandbox. */
  readonly business: string;
  /** Creates the client with which customers arrive and give up. */
  readonly connect: Connect;
  /** The same seed gives the same story, if the same customers are waiting at the start. */
  readonly seed: number;
  /** How many times faster than real time the story runs; 1 is real time. */
  readonly speed: number;
  /** The share of a plan's daily tokens that the simulation leaves to other callers, from 0 to 1. Default 0. */
  readonly planShareLeft?: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Called with each event. */
  readonly onEvent: (event: SimulationEvent) => void;
  /** Called once for each outage of the service or the database, with one line that describes it. */
  readonly onOutage: (line: string) => void;
  /** Ends the simulation after the running request. */
  readonly signal: AbortSignal;
}

/** How long the running request may take when the simulation ends, in milliseconds. */
const graceMs = 5_000;

/**
 * Simulates customers in a sandbox until the signal is aborted. They arrive and give up through the API. The
 * simulation serves all entries of the business, including those that it did not create. The entries that remain at
 * the end stay in the queues.
 *
 * @throws OwnerError There is no such business, or it has its full number of active keys.
 * @throws ReplacedError A later simulation of the business has started.
 * @throws SimulationError The business is not a sandbox, or the service cannot be used.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationSummary> {
  const business = await findSandbox(options.store, options.business);
  const key = new SimulationKey(options.store, business, options.random);
  try {
    return await new Simulation(options, business, key).run();
  } finally {
    await key.revoke();
  }
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #scene: Scene;
  readonly #lookout: Lookout;
  readonly #performer: Performer;
  readonly #pace: Pace;

  constructor(options: SimulationOptions, business: Business, key: SimulationKey) {
    const { store, sleep, signal, connect, clock, speed } = options;
    const waiting = { sleep, signal, outages: new Outages(options.onOutage) };
    const story = new Story(options.seed);
    this.#options = options;
    this.#scene = {
      story,
      caller: new Caller({ key, connect, business: business.slug, waiting }),
      counter: new Counter(store, business),
      narrator: new Narrator(story, options.onEvent),
      waiting,
    };
    this.#lookout = new Lookout(this.#scene, options.planShareLeft ?? 0);
    this.#performer = new Performer(this.#scene);
    this.#pace = new Pace(speed, clock, sleep);
  }

  async run(): Promise<SimulationSummary> {
    const { seed, signal, sleep } = this.#options;
    const { caller, narrator } = this.#scene;
    const ended = new AbortController();
    const onEnd = async () => {
      caller.end();
      await sleep(graceMs, ended.signal);
      caller.cut();
    };
    signal.addEventListener("abort", onEnd, { once: true });
    try {
      await this.#begin();
      while (!signal.aborted) await this.#step();
    } catch (error) {
      if (!signal.aborted || !isInterruption(error)) throw error;
    } finally {
      signal.removeEventListener("abort", onEnd);
      ended.abort();
    }
    return narrator.summary({ seed, heldUpSeconds: Math.round(this.#pace.heldUp / 1000) });
  }

  async #begin(): Promise<void> {
    const { caller } = this.#scene;
    await caller.begin();
    const queues = await caller.ask((api, options) => api.queues.list(options));
    if (!queues.some(takesTokens)) {
      throw new SimulationError({ code: "no_open_queue" });
    }
    this.#pace.begin();
  }

  /** Waits for the next event and carries it out. */
  async #step(): Promise<void> {
    const { signal } = this.#options;
    const { story } = this.#scene;
    await this.#pace.reach(story.nextAt, signal);
    if (signal.aborted) return;
    if (story.nextCall !== null) await this.#lookout.seeLine(story.nextCall);
    const happening = story.next();
    if (happening?.kind === "look") await this.#look(happening.firstOfDay);
    else if (happening) await this.#performer.perform(happening);
  }

  async #look(firstOfDay: boolean): Promise<void> {
    const { store, business } = this.#options;
    const { caller, waiting } = this.#scene;
    await untilReachable(() => findSandbox(store, business), waiting);
    await caller.renewOldKey();
    await this.#lookout.look(firstOfDay);
  }
}

/** Whether an error is caused by ending the simulation. */
function isInterruption(error: unknown): boolean {
  return error instanceof AbortError || error instanceof StoreUnavailableError;
}

/**
 * Finds the business with a slug and checks that it is a sandbox. A simulation serves every entry, so the business
 * must not have real customers.
 *
 * @throws OwnerError There is no such business.
 * @throws SimulationError It is not a sandbox.
 */
async function findSandbox(store: Store, slug: string): Promise<Business> {
  const business = await findBusiness(store, slug);
  if (business.sandbox) return business;
  throw new SimulationError({ code: "not_a_sandbox", slug });
}
