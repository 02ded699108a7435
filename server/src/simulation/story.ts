import { SeededRandom } from "../lib/seeded-random.js";
import { Agenda, type Happening } from "./agenda.js";
import type { SeenAppointment } from "./appointments.js";
import { Appointments } from "./appointments.js";
import type { Guest, Person } from "./customers.js";
import type { Station } from "./stations.js";
import { type SeenGuest, type SeenQueue, Stations } from "./stations.js";
import { dayOf, minute } from "./story-time.js";

/** How often the story reads the state of the business, in milliseconds. */
const lookEvery = 15 * minute;

/**
 * A story is the sequence of events of a simulated business: customers arrive, wait, are called, are served, give up or
 * do not come. It follows from a seed and the state of the business. The story has no clock and no side effects. Its
 * time is in milliseconds since its start (see `story-time.ts`).
 *
 * The story assumes that each event takes place. Its performer reports the events that cannot.
 */
export class Story {
  readonly #agenda = new Agenda();
  readonly #stations: Stations;
  readonly #appointments: Appointments;
  #day = 0;

  /** @param seed A whole number. The same seed gives the same story. */
  constructor(seed: number) {
    const random = new SeededRandom(seed);
    this.#stations = new Stations(random, this.#agenda);
    this.#appointments = new Appointments(random, this.#agenda, this.#stations);
    this.#agenda.at(0, { kind: "look" });
  }

  /** The time of the last event. */
  get now(): number {
    return this.#agenda.now;
  }

  /** The time of the next event. */
  get nextAt(): number {
    return this.#agenda.next?.at ?? this.now;
  }

  /** The queue of the next event if that is a call: read its line first. Null for any other event. */
  get nextCall(): string | null {
    const item = this.#agenda.next?.item;
    return item?.kind === "call" ? item.station.id : null;
  }

  /** The number of objects that the story keeps. It stays bounded however long the story runs. */
  get size(): number {
    return this.#agenda.size + this.#appointments.size + this.#stations.people;
  }

  /** The number of waiting customers in a queue. */
  waiting(queueId: string): number {
    return this.#stations.waiting(queueId);
  }

  /** The entry ids of the known customers in a queue. */
  present(queueId: string): readonly string[] {
    return this.#stations.present(queueId);
  }

  /** Advances to the next event. Null if no event takes place, for example because the counter is busy. */
  next(): Happening | null {
    const due = this.#agenda.take();
    switch (due?.kind) {
      case undefined:
        return null;
      case "look":
        return this.#look();
      case "candidate":
        return this.#stations.candidate(due.station);
      case "slot":
        this.#stations.callSoon(due.station);
        return null;
      case "call":
        return this.#call(due.station);
      case "finish":
        return this.#stations.finish(due.station, due.ref);
      case "patience":
        return this.#stations.giveUp(due.station, due.ref);
      case "booking":
        return this.#appointments.move(due.ref, due.to);
    }
  }

  // ── Reading the state of the business

  /** Updates the queues. */
  seeQueues(queues: readonly SeenQueue[]): void {
    this.#stations.see(queues);
  }

  /** Stops arrivals until the story next reads the queues. */
  stopArrivals(): void {
    this.#stations.stopArrivals();
  }

  /** Updates the line of a queue: the customers in service, and the waiting ones in the order of their calls. */
  seeLine(queueId: string, seen: readonly SeenGuest[]): void {
    this.#stations.seeLine(queueId, seen);
  }

  /** Adds the appointments of the day. Skips those that have ended or are known. */
  seeAppointments(appointments: readonly SeenAppointment[]): void {
    this.#appointments.see(appointments, this.#day);
  }

  // ── Results of events

  /** Adds a customer who received a token to the line. */
  join(queueId: string, person: Person, given: Pick<Guest, "ref" | "token">): void {
    this.#stations.join(queueId, person, given);
  }

  /** The API refused a token: stops arrivals in the queue until the story next reads it. */
  turnAway(queueId: string): void {
    this.#stations.turnAway(queueId);
  }

  /**
   * Forgets a customer because an event of theirs could not take place. A customer who is still in a queue is added
   * again when the story next reads its line.
   */
  lose(guest: Guest): void {
    this.#stations.lose(guest);
  }

  /** Forgets an appointment because a person has changed its status. */
  loseAppointment(ref: string): void {
    this.#appointments.lose(ref);
  }

  // ── Next events

  #look(): Happening {
    this.#agenda.after(lookEvery, { kind: "look" });
    const day = dayOf(this.now);
    const firstOfDay = day !== this.#day;
    this.#day = day;
    return { kind: "look", firstOfDay };
  }

  /** Calls the next customer. An appointment that is due comes before the line. */
  #call(station: Station): Happening | null {
    station.callIsDue = false;
    if (station.isBusy) return null;
    const booking = station.bookingDue(this.now);
    return booking
      ? this.#appointments.move(booking.ref, "IN_SERVICE")
      : this.#stations.call(station);
  }
}
