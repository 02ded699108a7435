import { SeededRandom } from "../lib/seeded-random.js";
import { Agenda, type Happening } from "./agenda.js";
import type { SeenAppointment } from "./appointments.js";
import { Appointments } from "./appointments.js";
import type { Guest, Person } from "./customers.js";
import type { Station } from "./stations.js";
import { type SeenGuest, type SeenQueue, Stations } from "./stations.js";
import { dayOf, minute } from "./story-time.js";

/** How often the story reads the state of the business. */
const lookEvery = 15 * minute;

/**
 * The events of a business: customers arrive, wait, are called, are served, give up or do not come. The story is
 * given the state of the business, and its seed alone decides the next event. It has no clock and no effects. Its
 * time is in milliseconds since its start (see `story-time.ts`).
 *
 * The story assumes that each event takes place. Its performer reports the events that could not.
 */
export class Story {
  readonly #agenda = new Agenda();
  readonly #stations: Stations;
  readonly #appointments: Appointments;
  #day = 0;

  /** @param seed A whole number: the same tells the same story. */
  constructor(seed: number) {
    const random = new SeededRandom(seed);
    this.#stations = new Stations(random, this.#agenda);
    this.#appointments = new Appointments(random, this.#agenda, this.#stations);
    this.#agenda.at(0, { kind: "look" });
  }

  /** The time that the story has come to. */
  get now(): number {
    return this.#agenda.now;
  }

  /** When the next thing may happen. */
  get nextAt(): number {
    return this.#agenda.next?.at ?? this.now;
  }

  /** The queue in which somebody may be called next: look at its line before that. Null for anything else. */
  get nextCall(): string | null {
    const item = this.#agenda.next?.item;
    return item?.kind === "call" ? item.station.id : null;
  }

  /** How many things the story keeps in mind: stays within bounds, however long it goes on. */
  get size(): number {
    return this.#agenda.size + this.#appointments.size + this.#stations.people;
  }

  /** How many wait in a queue. */
  waiting(queueId: string): number {
    return this.#stations.waiting(queueId);
  }

  /** Everybody the story knows to be in a queue, by the id of their entry. */
  present(queueId: string): readonly string[] {
    return this.#stations.present(queueId);
  }

  /** Goes on to the next thing that is due. Null when nothing comes of it after all. */
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

  // ── What is there

  /** Takes in which queues there are. */
  seeQueues(queues: readonly SeenQueue[]): void {
    this.#stations.see(queues);
  }

  /** Lets nobody in until the next look. */
  closeDoors(): void {
    this.#stations.closeDoors();
  }

  /** Takes in who is in a queue: those who wait, in the order in which they will be called, and those served. */
  seeLine(queueId: string, seen: readonly SeenGuest[]): void {
    this.#stations.seeLine(queueId, seen);
  }

  /** Takes in the appointments of the day. Those that are over, or known, stay as they are. */
  seeAppointments(appointments: readonly SeenAppointment[]): void {
    this.#appointments.see(appointments, this.#day);
  }

  // ── What came of it

  /** Somebody who arrived was given a token. */
  join(queueId: string, person: Person, given: Pick<Guest, "ref" | "token">): void {
    this.#stations.join(queueId, person, given);
  }

  /** Somebody who arrived got no token; nobody else comes to that queue until the next look. */
  turnAway(queueId: string): void {
    this.#stations.turnAway(queueId);
  }

  /** What was said of somebody could not be done. Who is in a queue after all is found there again. */
  lose(guest: Guest): void {
    this.#stations.lose(guest);
  }

  /** What was said of an appointment could not be done: somebody else has decided about it. */
  loseAppointment(ref: string): void {
    this.#appointments.lose(ref);
  }

  // ── How it goes on

  #look(): Happening {
    this.#agenda.after(lookEvery, { kind: "look" });
    const day = dayOf(this.now);
    const firstOfDay = day !== this.#day;
    this.#day = day;
    return { kind: "look", firstOfDay };
  }

  /** Whoever is free again serves those with an appointment before those in line. */
  #call(station: Station): Happening | null {
    station.callIsDue = false;
    if (station.isBusy) return null;
    const booking = station.bookingDue(this.now);
    return booking
      ? this.#appointments.move(booking.ref, "IN_SERVICE")
      : this.#stations.call(station);
  }
}
