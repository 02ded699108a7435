import type { AppointmentStatus } from "@queue-api/contract";
import { ApiError } from "@queue-api/sdk";
import type { Guest, Person } from "./guest.js";
import type { AppointmentMove, Happening } from "./happening.js";
import type { Scene } from "./scene.js";
import { untilReachable } from "./until-reachable.js";

/** Makes happen what the story says: for those who come through the API, and for those who serve them. */
export class Performer {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Carries out one thing, and tells it; the story learns when it could not be done. */
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
      narrator.tell({ event: "arrived", queue, entryId: id, token, name, waiting });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      story.turnAway(queueId);
      narrator.tell({ event: "turned-away", queue, name, reason: error.code ?? `${error.status}` });
    }
  }

  async #giveUp(guest: Guest): Promise<void> {
    const { caller, narrator } = this.#scene;
    try {
      await caller.ask((api, options) => api.entries.cancel(guest.ref, options));
      narrator.tellOf(guest, "gave-up");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // called in that moment, say: the next look shows it
    }
  }

  async #serve(
    guest: Guest,
    move: "call" | "no-show" | "complete",
    event: "called" | "no-show" | "completed",
  ): Promise<void> {
    const { story, counter, narrator, waiting } = this.#scene;
    const done = await untilReachable(() => counter.serve(guest.ref, move), waiting);
    if (done) narrator.tellOf(guest, event);
    else story.lose(guest);
  }

  /** Moves an appointment on, unless somebody else has decided about it. */
  async #moveAppointment({ ref, slotTime, from, to }: AppointmentMove): Promise<void> {
    const { story, counter, narrator, waiting } = this.#scene;
    const done =
      (await this.#hasStatus(ref, from)) &&
      (await untilReachable(() => counter.setAppointment(ref, to), waiting));
    if (done) narrator.tell({ event: "appointment", appointmentId: ref, slotTime, status: to });
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
