import type { AppointmentMove, Happening } from "../../server/src/simulation/agenda.ts";
import type { SeenAppointment } from "../../server/src/simulation/appointments.ts";
import type { Guest } from "../../server/src/simulation/customers.ts";
import type { SeenQueue } from "../../server/src/simulation/stations.ts";
import { Story } from "../../server/src/simulation/story.ts";

/** An event with its time and place. */
export type Moment = Exclude<Happening, { kind: "look" }> & {
  readonly at: number;
  /** The number of waiting entries in its queue after it. Null for an appointment. */
  readonly waiting: number | null;
  /** The token of a person who arrived. */
  readonly token?: string;
};

export interface Stage {
  readonly seed?: number;
  readonly queues?: readonly SeenQueue[];
  readonly appointments?: readonly SeenAppointment[];
}

export const doctor: SeenQueue = {
  id: "queue-a",
  name: "Doctor",
  open: true,
  offers: [
    { serviceId: "consult", minutes: 15 },
    { serviceId: "follow-up", minutes: 10 },
  ],
};

export const desk: SeenQueue = {
  id: "queue-f",
  name: "Front desk",
  open: true,
  offers: [{ serviceId: null, minutes: null }],
};

/** A story in a world without failures: each arrival gets a token, and each action succeeds. */
export class Playing {
  readonly story: Story;
  readonly moments: Moment[] = [];
  queues: readonly SeenQueue[];
  #appointments: readonly SeenAppointment[];
  readonly #numbers = new Map<string, number>();

  constructor({ seed = 1, queues = [doctor, desk], appointments = [] }: Stage = {}) {
    this.story = new Story(seed);
    this.queues = queues;
    this.#appointments = appointments;
  }

  /** Plays the story up to this number of minutes. Returns the events of this call. */
  until(minutes: number): readonly Moment[] {
    const from = this.moments.length;
    while (this.story.nextAt <= minutes * 60_000) this.step();
    return this.moments.slice(from);
  }

  /** Plays the next event. Null if it has no effect. */
  step(): Moment | null {
    const happening = this.story.next();
    if (!happening) return null;
    if (happening.kind === "look") {
      this.story.seeQueues(this.queues);
      if (happening.firstOfDay) this.story.seeAppointments(this.#appointments);
      return null;
    }
    const moment = this.#done(happening);
    this.moments.push(moment);
    return moment;
  }

  #done(happening: Exclude<Happening, { kind: "look" }>): Moment {
    const at = this.story.now;
    if (happening.kind === "appointment") {
      this.#appointments = this.#appointments.map((one) =>
        one.ref === happening.ref ? { ...one, status: happening.to } : one,
      );
      return { ...happening, at, waiting: null };
    }
    if (happening.kind !== "arrive") {
      return { ...happening, at, waiting: this.story.waiting(happening.guest.queueId) };
    }
    const { queueId, person } = happening;
    const number = (this.#numbers.get(queueId) ?? 0) + 1;
    this.#numbers.set(queueId, number);
    const token = `${queueId.at(-1)?.toUpperCase()}${number}`;
    this.story.join(queueId, person, { ref: `entry-${token}`, token });
    return { ...happening, at, token, waiting: this.story.waiting(queueId) };
  }
}

/** Plays a story from its start for this number of hours. */
export function played(stage: Stage, hours: number): readonly Moment[] {
  return new Playing(stage).until(hours * 60);
}

export function isAppointment(moment: Moment): moment is Moment & AppointmentMove {
  return moment.kind === "appointment";
}

/** The person of an event, if it concerns a person in a queue. */
export function guestOf(moment: Moment): Guest | null {
  return "guest" in moment ? moment.guest : null;
}
