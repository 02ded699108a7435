import type { AppointmentStatus } from "@queue-api/contract";
import type { Guest } from "./customers.js";
import type { Story } from "./story.js";
import { minute, type WallTime, wallTime } from "./story-time.js";

interface OfQueue {
  /** Name of the queue. */
  readonly queue: string;
}

interface OfEntry extends OfQueue {
  readonly entryId: string;
  readonly token: string;
  /** Null for a customer that the simulation did not create: their name is private. */
  readonly name: string | null;
  /** The number of waiting entries in the queue. */
  readonly waiting: number;
}

interface Waited {
  /** Minutes of the story since the customer arrived, or since the story first read their entry. */
  readonly waitedMinutes: number;
}

interface TurnedAway extends OfQueue {
  readonly name: string;
  /** The code of the API's refusal. */
  readonly reason: string;
}

interface OfAppointment {
  readonly appointmentId: string;
  readonly slotTime: string;
  readonly status: AppointmentStatus;
}

type EventOf<Name, Facts> = WallTime & { readonly event: Name } & Facts;

/** An event of a simulation. `day` and `time` are the story's. */
export type SimulationEvent =
  | EventOf<"arrived", OfEntry>
  | EventOf<"called", OfEntry & Waited>
  | EventOf<"completed", OfEntry>
  | EventOf<"gave-up", OfEntry & Waited>
  | EventOf<"no-show", OfEntry & Waited>
  | EventOf<"turned-away", TurnedAway>
  | EventOf<"appointment", OfAppointment>;

/** The result of a simulation. */
export interface SimulationSummary {
  readonly seed: number;
  /** The length of the story, in minutes of the story. */
  readonly storyMinutes: number;
  readonly arrived: number;
  readonly called: number;
  readonly completed: number;
  readonly gaveUp: number;
  readonly noShows: number;
  readonly turnedAway: number;
  readonly appointments: {
    readonly kept: number;
    readonly missed: number;
    readonly cancelled: number;
  };
  /** The time between arrival and call, in minutes of the story; null if no customer was called. */
  readonly waitedMinutes: { readonly mean: number; readonly longest: number } | null;
  /** How long the limits of the key, or an outage of the service, delayed the story. */
  readonly heldUpSeconds: number;
}

/** Counts events. */
class Tally {
  readonly #counts = new Map<string, number>();
  #waited = 0;
  #longest = 0;

  add(event: SimulationEvent): void {
    const kind = event.event === "appointment" ? event.status : event.event;
    this.#counts.set(kind, this.#count(kind) + 1);
    if (event.event !== "called") return;
    this.#waited += event.waitedMinutes;
    this.#longest = Math.max(this.#longest, event.waitedMinutes);
  }

  summary(
    rest: Pick<SimulationSummary, "seed" | "storyMinutes" | "heldUpSeconds">,
  ): SimulationSummary {
    const called = this.#count("called");
    return {
      ...rest,
      arrived: this.#count("arrived"),
      called,
      completed: this.#count("completed"),
      gaveUp: this.#count("gave-up"),
      noShows: this.#count("no-show"),
      turnedAway: this.#count("turned-away"),
      appointments: {
        kept: this.#count("COMPLETED"),
        missed: this.#count("NO_SHOW"),
        cancelled: this.#count("CANCELLED"),
      },
      waitedMinutes:
        called === 0 ? null : { mean: Math.round(this.#waited / called), longest: this.#longest },
    };
  }

  #count(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }
}

/** An event before the narrator adds its time. */
type WithoutTime<Event> = Event extends unknown ? Omit<Event, "day" | "time"> : never;

/** Reports the events of a story with their times, and summarizes them. */
export class Narrator {
  readonly #story: Story;
  readonly #onEvent: (event: SimulationEvent) => void;
  readonly #tally = new Tally();
  readonly #queueNames = new Map<string, string>();

  constructor(story: Story, onEvent: (event: SimulationEvent) => void) {
    this.#story = story;
    this.#onEvent = onEvent;
  }

  /** Sets the name of a queue. */
  name(queueId: string, name: string): void {
    this.#queueNames.set(queueId, name);
  }

  /** The name of a queue; its id if the name is not set. */
  nameOf(queueId: string): string {
    return this.#queueNames.get(queueId) ?? queueId;
  }

  /** Reports an event, with the story's time. */
  report(untimed: WithoutTime<SimulationEvent>): void {
    const event: SimulationEvent = { ...wallTime(this.#story.now), ...untimed };
    this.#tally.add(event);
    this.#onEvent(event);
  }

  /** Reports an event of a customer in a queue. */
  reportGuest(guest: Guest, event: "called" | "no-show" | "completed" | "gave-up"): void {
    const { ref, token, queueId, person, since } = guest;
    const facts = {
      queue: this.nameOf(queueId),
      entryId: ref,
      token,
      name: person?.name ?? null,
      waiting: this.#story.waiting(queueId),
    };
    const waitedMinutes = Math.round((this.#story.now - since) / minute);
    this.report(event === "completed" ? { event, ...facts } : { event, ...facts, waitedMinutes });
  }

  summary(rest: Pick<SimulationSummary, "seed" | "heldUpSeconds">): SimulationSummary {
    const storyMinutes = Math.round(this.#story.now / minute);
    return this.#tally.summary({ ...rest, storyMinutes });
  }
}
