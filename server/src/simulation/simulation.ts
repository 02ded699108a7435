import type { AppointmentStatus } from "@queue-api/contract";
import { AbortError, ApiError, type Appointment, type Queue, type Service } from "@queue-api/sdk";
import { findBusiness } from "../owner/business.js";
import type { Clock, Random } from "../rules/ports.js";
import type { Business } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { StoreUnavailableError } from "../store/store-unavailable-error.js";
import type { Connect } from "./api.js";
import type { SeenAppointment } from "./booking.js";
import { Caller } from "./caller.js";
import { Counter } from "./counter.js";
import type { Guest, Offer, Person } from "./guest.js";
import { minute, wallTime } from "./opening-hours.js";
import { Pace, type Sleep } from "./pace.js";
import { type SimulationEvent, type SimulationSummary, Tally } from "./report.js";
import { SimulationError } from "./simulation-error.js";
import { SimulationKey } from "./simulation-key.js";
import { type AppointmentMove, type Happening, Story } from "./story.js";
import { Troubles } from "./troubles.js";
import { untilReachable, type Waiting } from "./until-reachable.js";

/** What a simulation is made of. */
export interface SimulationOptions {
  /** The database of the service: the owner's side, where people are called and served. */
  readonly store: Store;
  /** Slug of the business. */
  readonly business: string;
  /** Makes the client by which people arrive and give up. */
  readonly connect: Connect;
  /** The same seed tells the same story, where it finds the same people waiting. */
  readonly seed: number;
  /** How many times faster than the clock the story's time passes; 1 is real time. */
  readonly speed: number;
  /** The share of the day's tokens that it leaves to others, where a plan limits them. Default 0. */
  readonly planShareLeft?: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Told of each thing that happened. */
  readonly tell: (event: SimulationEvent) => void;
  /** Told in one line that the service or the database does not answer; once, until it does again. */
  readonly trouble: (line: string) => void;
  /** Ends the simulation, once what is under way is done. */
  readonly signal: AbortSignal;
}

/** How long the request under way may still take when the simulation is to end. */
const graceMs = 5_000;

/**
 * Plays a story in a business until the signal is aborted: people arrive and give up through the API, and
 * are served as the owner serves them, with those who are there otherwise. Nobody is taken out of the
 * queues at the end.
 *
 * @throws OwnerError There is no such business, or it has its full number of active keys.
 * @throws ReplacedError A later simulation of the business has begun.
 * @throws SimulationError The service cannot be used, or not any more.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationSummary> {
  const business = await findBusiness(options.store, options.business);
  const key = new SimulationKey(options.store, business, options.random);
  try {
    return await new Simulation(options, business, key).run();
  } finally {
    await key.revoke();
  }
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #waiting: Waiting;
  readonly #caller: Caller;
  readonly #counter: Counter;
  readonly #story: Story;
  readonly #pace: Pace;
  readonly #tally = new Tally();
  readonly #queueNames = new Map<string, string>();
  /** What people of each queue came for before the simulation. */
  readonly #used = new Map<string, ReadonlySet<string | null>>();

  constructor(options: SimulationOptions, business: Business, key: SimulationKey) {
    const { sleep, signal, connect, clock, speed } = options;
    this.#options = options;
    this.#waiting = { sleep, signal, troubles: new Troubles(options.trouble) };
    this.#caller = new Caller({ key, connect, business: business.slug, waiting: this.#waiting });
    this.#counter = new Counter(options.store, business);
    this.#story = new Story(options.seed);
    this.#pace = new Pace(speed, clock, sleep);
  }

  async run(): Promise<SimulationSummary> {
    const { signal, sleep } = this.#options;
    const ended = new AbortController();
    const onEnd = async () => {
      this.#caller.end();
      await sleep(graceMs, ended.signal);
      this.#caller.cut();
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
    return this.#tally.summary({
      seed: this.#options.seed,
      storyMinutes: Math.round(this.#story.now / minute),
      heldUpSeconds: Math.round(this.#pace.heldUp / 1000),
    });
  }

  async #begin(): Promise<void> {
    await this.#caller.begin();
    const queues = await this.#caller.ask((api, options) => api.queues.list(options));
    if (!queues.some(takesTokens)) {
      throw new SimulationError(
        "no queue of the business takes tokens; open one with: queue-api queue open QUEUE_ID",
      );
    }
    this.#pace.begin();
  }

  /** Waits for the next thing, and lets it happen. */
  async #step(): Promise<void> {
    const { signal } = this.#options;
    await this.#pace.reach(this.#story.nextAt, signal);
    if (signal.aborted) return;
    const queueId = this.#story.nextCall;
    if (queueId !== null) await this.#seeLine(queueId);
    const happening = this.#story.next();
    if (happening) await this.#carryOut(happening);
  }

  #carryOut(happening: Happening): Promise<void> {
    switch (happening.kind) {
      case "look":
        return this.#look(happening.firstOfDay);
      case "arrive":
        return this.#arrive(happening.queueId, happening.person);
      case "give-up":
        return this.#giveUp(happening.guest);
      case "call":
        return this.#serve(happening.guest, "call", "called");
      case "no-show":
        return this.#serve(happening.guest, "no-show", "no-show");
      case "complete":
        return this.#serve(happening.guest, "complete", "completed");
      case "appointment":
        return this.#moveAppointment(happening);
    }
  }

  // ── Looking around

  async #look(firstOfDay: boolean): Promise<void> {
    await this.#caller.renewOldKey();
    try {
      await this.#seeQueues();
      if (firstOfDay) await this.#seeAppointments();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#story.closeDoors(); // access is switched off, say: whoever is inside is served all the same
    }
    for (const queueId of this.#queueNames.keys()) await this.#seeLine(queueId);
  }

  async #seeQueues(): Promise<void> {
    const queues = await this.#caller.ask((api, options) => api.queues.list(options));
    const services = await this.#caller.ask((api, options) => api.services.list(options));
    for (const { id, name } of queues) {
      this.#queueNames.set(id, name);
      if (this.#used.has(id)) continue;
      this.#used.set(id, await this.#steadily(() => this.#counter.servicesUsed(id)));
    }
    const left = await this.#steadily(() => this.#counter.planLeft());
    const mayEnter = left >= (this.#options.planShareLeft ?? 0);
    this.#story.seeQueues(
      queues.map((queue) => ({
        id: queue.id,
        name: queue.name,
        open: mayEnter && takesTokens(queue),
        offers: offersOf(services, this.#used.get(queue.id) ?? new Set()),
      })),
    );
  }

  async #seeAppointments(): Promise<void> {
    const appointments = await this.#caller.ask((api, options) =>
      api.appointments.list(undefined, options).all(),
    );
    this.#story.seeAppointments(appointments.map(seen));
  }

  async #seeLine(queueId: string): Promise<void> {
    const known = this.#story.present(queueId);
    const line = await this.#steadily(() => this.#counter.line(queueId, known));
    this.#story.seeLine(queueId, line);
  }

  // ── What people do, through the API

  async #arrive(queueId: string, person: Person): Promise<void> {
    const { name, phone, serviceId } = person;
    const body = { name, phone, ...(serviceId !== null && { serviceId }) };
    const queue = this.#nameOf(queueId);
    try {
      const { id, token } = await this.#caller.ask((api, options) =>
        api.entries.create(queueId, body, options),
      );
      this.#story.join(queueId, person, { ref: id, token });
      const waiting = this.#story.waiting(queueId);
      this.#tell({ event: "arrived", queue, entryId: id, token, name, waiting });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#story.turnAway(queueId);
      this.#tell({ event: "turned-away", queue, name, reason: error.code ?? `${error.status}` });
    }
  }

  async #giveUp(guest: Guest): Promise<void> {
    try {
      await this.#caller.ask((api, options) => api.entries.cancel(guest.ref, options));
      this.#tellOf(guest, "gave-up");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // called in that moment, say: the next look shows it
    }
  }

  // ── What is done behind the counter

  async #serve(
    guest: Guest,
    move: "call" | "no-show" | "complete",
    event: "called" | "no-show" | "completed",
  ): Promise<void> {
    if (await this.#steadily(() => this.#counter.serve(guest.ref, move))) {
      this.#tellOf(guest, event);
    } else {
      this.#story.lose(guest);
    }
  }

  /** Moves an appointment on, unless somebody else has decided about it. */
  async #moveAppointment({ ref, slotTime, from, to }: AppointmentMove): Promise<void> {
    const counter = this.#counter;
    if (
      (await this.#hasStatus(ref, from)) &&
      (await this.#steadily(() => counter.setAppointment(ref, to)))
    ) {
      this.#tell({ event: "appointment", appointmentId: ref, slotTime, status: to });
    } else {
      this.#story.loseAppointment(ref);
    }
  }

  async #hasStatus(appointmentId: string, status: AppointmentStatus): Promise<boolean> {
    try {
      const found = await this.#caller.ask((api, options) =>
        api.appointments.get(appointmentId, options),
      );
      return found.status === status;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  // ── How it works and tells

  #steadily<Result>(work: () => Promise<Result>): Promise<Result> {
    return untilReachable(work, this.#waiting);
  }

  #tellOf(guest: Guest, event: "called" | "no-show" | "completed" | "gave-up"): void {
    const { ref, token, queueId, person, since } = guest;
    const told = {
      queue: this.#nameOf(queueId),
      entryId: ref,
      token,
      name: person?.name ?? null,
      waiting: this.#story.waiting(queueId),
    };
    const waitedMinutes = Math.round((this.#story.now - since) / minute);
    this.#tell(event === "completed" ? { event, ...told } : { event, ...told, waitedMinutes });
  }

  #tell(what: WithoutTime<SimulationEvent>): void {
    const event: SimulationEvent = { ...wallTime(this.#story.now), ...what };
    this.#tally.add(event);
    this.#options.tell(event);
  }

  #nameOf(queueId: string): string {
    return this.#queueNames.get(queueId) ?? queueId;
  }
}

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "day" | "time"> : never;

function takesTokens({ isActive, isTokenCreationPaused }: Queue): boolean {
  return isActive && !isTokenCreationPaused;
}

/** People come for what others in their queue came for; where nobody was, for anything. */
function offersOf(services: readonly Service[], used: ReadonlySet<string | null>): Offer[] {
  const offers = services
    .filter(({ id }) => used.size === 0 || used.has(id))
    .map(({ id, baseTimeMinutes }) => ({ serviceId: id, minutes: baseTimeMinutes }));
  return used.has(null) ? [...offers, { serviceId: null, minutes: null }] : offers;
}

function seen({ id, slotTime, durationMinutes, status }: Appointment): SeenAppointment {
  return { ref: id, slotTime, durationMinutes, status: status as AppointmentStatus };
}

/** Whether an error comes of ending what was under way. */
function isInterruption(error: unknown): boolean {
  return error instanceof AbortError || error instanceof StoreUnavailableError;
}
