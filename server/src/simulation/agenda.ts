import type { AppointmentStatus } from "@queue-api/contract";
import type { Guest, Person } from "./customers.js";
import type { Station } from "./stations.js";

interface Scheduled {
  readonly at: number;
  readonly item: Due;
}

/** The events of a story by time. Events at the same time keep the order in which they were added. */
export class Agenda {
  readonly #dues: Scheduled[] = [];
  #now = 0;

  /** The time of the event that was taken last. */
  get now(): number {
    return this.#now;
  }

  get size(): number {
    return this.#dues.length;
  }

  /** The next event; null if there is none. */
  get next(): Scheduled | null {
    return this.#dues[0] ?? null;
  }

  /** Adds an event at a time. A time in the past becomes now. */
  at(time: number, item: Due): void {
    const at = Math.max(this.#now, time);
    const later = this.#dues.findIndex((due) => due.at > at);
    this.#dues.splice(later < 0 ? this.#dues.length : later, 0, { at, item });
  }

  /** Adds an event after a delay in milliseconds. */
  after(ms: number, item: Due): void {
    this.at(this.#now + ms, item);
  }

  /** Advances to the next event and removes it; null if there is none. */
  take(): Due | null {
    const due = this.#dues.shift();
    if (!due) return null;
    this.#now = due.at;
    return due.item;
  }
}

/** An event that a story schedules for itself. */
export type Due =
  | { readonly kind: "look" }
  /** A customer may arrive; the next customer is called; an appointment begins. */
  | { readonly kind: "candidate" | "call" | "slot"; readonly station: Station }
  /** A customer has been served; a customer gives up waiting. */
  | { readonly kind: "finish" | "patience"; readonly station: Station; readonly ref: string }
  | { readonly kind: "booking"; readonly ref: string; readonly to: AppointmentStatus };

/** An event of a story that its performer carries out. */
export type Happening =
  /** Time to read the state of the business: see `Story.seeQueues` and `Story.seeLine`. */
  | { readonly kind: "look"; readonly firstOfDay: boolean }
  /** A customer arrives: see `Story.join` and `Story.turnAway`. */
  | { readonly kind: "arrive"; readonly queueId: string; readonly person: Person }
  | { readonly kind: "call"; readonly guest: Guest }
  | { readonly kind: "no-show"; readonly guest: Guest }
  | { readonly kind: "complete"; readonly guest: Guest }
  | { readonly kind: "give-up"; readonly guest: Guest }
  | AppointmentMove;

/** An appointment changes its status. */
export interface AppointmentMove {
  readonly kind: "appointment";
  readonly ref: string;
  readonly slotTime: string;
  readonly from: AppointmentStatus;
  readonly to: AppointmentStatus;
}
