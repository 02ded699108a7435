import type { Guest } from "./guest.js";
import { minute, wallTime } from "./opening-hours.js";
import { type SimulationEvent, type SimulationSummary, Tally } from "./report.js";
import type { Story } from "./story.js";

/** What happened, before it is known when. */
type Told<Event> = Event extends unknown ? Omit<Event, "day" | "time"> : never;

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

  tell(what: Told<SimulationEvent>): void {
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
