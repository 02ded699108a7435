import type { AppointmentStatus } from "@queue-api/contract";
import { ApiError, type Appointment, type Queue, type Service } from "@queue-api/sdk";
import type { AppointmentMove, Happening } from "./agenda.js";
import type { Caller } from "./api-client.js";
import type { SeenAppointment } from "./appointments.js";
import type { Counter } from "./counter.js";
import type { Guest, Offer, Person } from "./customers.js";
import { untilReachable, type Waiting } from "./failures.js";
import type { Narrator } from "./report.js";
import type { Story } from "./story.js";

/** The parts that a story is played with. */
export interface Scene {
  readonly story: Story;
  /** Calls the API, as customers who arrive and give up. */
  readonly caller: Caller;
  /** Serves the customers. */
  readonly counter: Counter;
  readonly narrator: Narrator;
  readonly waiting: Waiting;
}

/** Reads the state of the business for the story. */
export class Lookout {
  readonly #scene: Scene;
  readonly #planShareLeft: number;
  /** The services of each queue's customers from before the simulation. */
  readonly #used = new Map<string, ReadonlySet<string | null>>();

  /** @param planShareLeft The share of a plan's daily tokens that the simulation leaves to other callers. */
  constructor(scene: Scene, planShareLeft: number) {
    this.#scene = scene;
    this.#planShareLeft = planShareLeft;
  }

  /** Reads the queues and services, the appointments once a day, and the line of each queue. */
  async look(firstOfDay: boolean): Promise<void> {
    try {
      await this.#seeQueues();
      if (firstOfDay) await this.#seeAppointments();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // For example, API access is off. The customers who are already in a queue are still served.
      this.#scene.story.stopArrivals();
    }
    for (const queueId of this.#used.keys()) await this.seeLine(queueId);
  }

  /** Reads the line of one queue. */
  async seeLine(queueId: string): Promise<void> {
    const { story, counter } = this.#scene;
    const known = story.present(queueId);
    const line = await this.#untilReachable(() => counter.line(queueId, known));
    story.seeLine(queueId, line);
  }

  async #seeQueues(): Promise<void> {
    const { story, caller, counter, narrator } = this.#scene;
    const queues = await caller.ask((api, options) => api.queues.list(options));
    const services = await caller.ask((api, options) => api.services.list(options));
    for (const { id, name } of queues) {
      narrator.name(id, name);
      if (this.#used.has(id)) continue;
      this.#used.set(id, await this.#untilReachable(() => counter.servicesUsed(id)));
    }
    const mayEnter = (await this.#untilReachable(() => counter.planLeft())) >= this.#planShareLeft;
    story.seeQueues(
      queues.map((queue) => ({
        id: queue.id,
        name: queue.name,
        open: mayEnter && takesTokens(queue),
        offers: offersOf(services, this.#used.get(queue.id) ?? new Set()),
      })),
    );
  }

  async #seeAppointments(): Promise<void> {
    const appointments = await this.#scene.caller.ask((api, options) =>
      api.appointments.list(undefined, options).all(),
    );
    this.#scene.story.seeAppointments(appointments.map(seen));
  }

  #untilReachable<Result>(work: () => Promise<Result>): Promise<Result> {
    return untilReachable(work, this.#scene.waiting);
  }
}

/** Whether a queue accepts customers. */
export function takesTokens({ isActive, isTokenCreationPaused }: Queue): boolean {
  return isActive && !isTokenCreationPaused;
}

/** The services that earlier customers of the queue came for; all services if the queue had no customers. */
function offersOf(services: readonly Service[], used: ReadonlySet<string | null>): Offer[] {
  const offers = services
    .filter(({ id }) => used.size === 0 || used.has(id))
    .map(({ id, baseTimeMinutes }) => ({ serviceId: id, minutes: baseTimeMinutes }));
  return used.has(null) ? [...offers, { serviceId: null, minutes: null }] : offers;
}

function seen({ id, slotTime, durationMinutes, status }: Appointment): SeenAppointment {
  return { ref: id, slotTime, durationMinutes, status: status as AppointmentStatus };
}

/** Carries out the events of a story: arrivals and cancellations through the API, the rest as the owner. */
export class Performer {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Carries out one event and reports it. Informs the story if the event cannot take place. */
  perform(happening: Exclude<Happening, { kind: "look" }>): Promise<void> {
    switch (happening.kind) {
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

  async #arrive(queueId: string, person: Person): Promise<void> {
    const { story, caller, narrator } = this.#scene;
    const { name, phone, serviceId } = person;
    const body = { name, phone, ...(serviceId !== null && { serviceId }) };
    const queue = narrator.nameOf(queueId);
    try {
      const { id, token } = await caller.ask((api, options) =>
        api.entries.create(queueId, body, options),
      );
      story.join(queueId, person, { ref: id, token });
      const waiting = story.waiting(queueId);
      narrator.report({ event: "arrived", queue, entryId: id, token, name, waiting });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      story.turnAway(queueId);
      const reason = error.code ?? `${error.status}`;
      narrator.report({ event: "turned-away", queue, name, reason });
    }
  }

  async #giveUp(guest: Guest): Promise<void> {
    const { caller, narrator } = this.#scene;
    try {
      await caller.ask((api, options) => api.entries.cancel(guest.ref, options));
      narrator.reportGuest(guest, "gave-up");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // for example, they have just been called: the story reads this later
    }
  }

  async #serve(
    guest: Guest,
    move: "call" | "no-show" | "complete",
    event: "called" | "no-show" | "completed",
  ): Promise<void> {
    const { story, counter, narrator, waiting } = this.#scene;
    const done = await untilReachable(() => counter.serve(guest.ref, move), waiting);
    if (done) narrator.reportGuest(guest, event);
    else story.lose(guest);
  }

  /** Changes the status of an appointment, unless a person has changed it. */
  async #moveAppointment({ ref, slotTime, from, to }: AppointmentMove): Promise<void> {
    const { story, counter, narrator, waiting } = this.#scene;
    const done =
      (await this.#hasStatus(ref, from)) &&
      (await untilReachable(() => counter.setAppointment(ref, to), waiting));
    if (done) narrator.report({ event: "appointment", appointmentId: ref, slotTime, status: to });
    else story.loseAppointment(ref);
  }

  async #hasStatus(appointmentId: string, status: AppointmentStatus): Promise<boolean> {
    try {
      const found = await this.#scene.caller.ask((api, options) =>
        api.appointments.get(appointmentId, options),
      );
      return found.status === status;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }
}
