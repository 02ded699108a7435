import type { AppointmentStatus } from "@queue-api/contract";
import { ApiError, type Appointment, type Queue, type Service } from "@queue-api/sdk";
import type { SeenAppointment } from "./booking.js";
import type { Offer } from "./guest.js";
import type { Scene } from "./scene.js";
import { untilReachable } from "./until-reachable.js";

/** Looks around in the business, so that the story knows what is there. */
export class Lookout {
  readonly #scene: Scene;
  readonly #planShareLeft: number;
  /** What people of each queue came for before the simulation. */
  readonly #used = new Map<string, ReadonlySet<string | null>>();

  /** @param planShareLeft The share of the day's tokens that is left to others, where a plan limits them. */
  constructor(scene: Scene, planShareLeft: number) {
    this.#scene = scene;
    this.#planShareLeft = planShareLeft;
  }

  /** Looks at everything; at the appointments once a day. */
  async look(firstOfDay: boolean): Promise<void> {
    try {
      await this.#seeQueues();
      if (firstOfDay) await this.#seeAppointments();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#scene.story.closeDoors(); // access is switched off, say: whoever is inside is served all the same
    }
    for (const queueId of this.#used.keys()) await this.seeLine(queueId);
  }

  /** Looks at the line of one queue. */
  async seeLine(queueId: string): Promise<void> {
    const { story, counter } = this.#scene;
    const known = story.present(queueId);
    const line = await this.#steadily(() => counter.line(queueId, known));
    story.seeLine(queueId, line);
  }

  async #seeQueues(): Promise<void> {
    const { story, caller, counter, narrator } = this.#scene;
    const queues = await caller.ask((api, options) => api.queues.list(options));
    const services = await caller.ask((api, options) => api.services.list(options));
    for (const { id, name } of queues) {
      narrator.name(id, name);
      if (this.#used.has(id)) continue;
      this.#used.set(id, await this.#steadily(() => counter.servicesUsed(id)));
    }
    const mayEnter = (await this.#steadily(() => counter.planLeft())) >= this.#planShareLeft;
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

  #steadily<Result>(work: () => Promise<Result>): Promise<Result> {
    return untilReachable(work, this.#scene.waiting);
  }
}

/** Whether people can come to a queue. */
export function takesTokens({ isActive, isTokenCreationPaused }: Queue): boolean {
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
