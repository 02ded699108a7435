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
  /** Null for somebody whom the simulation did not send: their name is not its to tell. */
  readonly name: string | null;
  /** How many wait in the queue now. */
  readonly waiting: number;
}

interface Waited {
  /** Minutes of the story since they came, or were first seen. */
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

/** Something that happened in a simulation. `day` and `time` are the story's. */
export type SimulationEvent =
  | EventOf<"arrived", OfEntry>
  | EventOf<"called", OfEntry & Waited>
  | EventOf<"completed", OfEntry>
  | EventOf<"gave-up", OfEntry & Waited>
  | EventOf<"no-show", OfEntry & Waited>
  | EventOf<"turned-away", TurnedAway>
  | EventOf<"appointment", OfAppointment>;

/** What a simulation came to. */
export interface SimulationSummary {
  readonly seed: number;
  /** How long the story is, in its own minutes. */
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
  /** Waits until the call, in minutes of the story; null when nobody was called. */
  readonly waitedMinutes: { readonly mean: number; readonly longest: number } | null;
  /** For how long limits of the key, or a service that did not answer, held the story up. */
  readonly heldUpSeconds: number;
}

/** Counts what happens. */
class Tally {
  readonly #counts = new Map<string, number>();
  #waited = 0;
  #longest = 0;

  add(event: SimulationEvent): void {
    const what = event.event === "appointment" ? event.status : event.event;
    this.#counts.set(what, this.#count(what) + 1);
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

  #count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }
}

/** An event before the narrator adds its time. */
type WithoutTime<Event> = Event extends unknown ? Omit<Event, "day" | "time"> : never;

/** Tells what happens in a story, by its clock, and what it came to. */
export class Narrator {
  readonly #story: Story;
  readonly #listener: (event: SimulationEvent) => void;
  readonly #tally = new Tally();
  readonly #queueNames = new Map<string, string>();

  constructor(story: Story, listener: (event: SimulationEvent) => void) {
    this.#story = story;
    this.#listener = listener;
  }

  /** Takes in what a queue is called. */
  name(queueId: string, name: string): void {
    this.#queueNames.set(queueId, name);
  }

  /** What a queue is called. */
  nameOf(queueId: string): string {
    return this.#queueNames.get(queueId) ?? queueId;
  }

  tell(what: WithoutTime<SimulationEvent>): void {
    const event: SimulationEvent = { ...wallTime(this.#story.now), ...what };
    this.#tally.add(event);
    this.#listener(event);
  }

  /** Tells what happened to somebody in a queue. */
  tellOf(guest: Guest, event: "called" | "no-show" | "completed" | "gave-up"): void {
    const { ref, token, queueId, person, since } = guest;
    const told = {
      queue: this.nameOf(queueId),
      entryId: ref,
      token,
      name: person?.name ?? null,
      waiting: this.#story.waiting(queueId),
    };
    const waitedMinutes = Math.round((this.#story.now - since) / minute);
    this.tell(event === "completed" ? { event, ...told } : { event, ...told, waitedMinutes });
  }

  summary(rest: Pick<SimulationSummary, "seed" | "heldUpSeconds">): SimulationSummary {
    const storyMinutes = Math.round(this.#story.now / minute);
    return this.#tally.summary({ ...rest, storyMinutes });
  }
}
