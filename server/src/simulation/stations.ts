import type { EntryStatus } from "@queue-api/contract";
import type { SeededRandom } from "../lib/seeded-random.js";
import type { Agenda, Happening } from "./agenda.js";
import type { Booking } from "./appointments.js";
import {
  type Guest,
  meanWork,
  type Offer,
  type Person,
  randomPerson,
  workOf,
} from "./customers.js";
import { highestLoad, loadAt, minute } from "./story-time.js";

/** The factor on arrivals for each length of the line, from 0 waiting entries on. No customer joins a longer line. */
const appeal = [2.5, 1.6, 1.2, 1, 1, 1, 1, 0.7, 0.5, 0.35, 0.25, 0.2] as const;

const highestAppeal = Math.max(...appeal);

/** The time between two customers at the counter. */
const changeover = minute;

/** One queue of the story, with one person who serves. */
export class Station {
  readonly id: string;
  /** Whether customers may arrive. */
  open = false;
  /** The waiting customers, in the order of their calls. */
  line: readonly Guest[] = [];
  readonly serving = new Map<string, Guest>();
  /** Appointments whose customers have checked in. */
  checkedIn: readonly Booking[] = [];
  readonly attending = new Map<string, Booking>();
  /** Whether the agenda contains the next call. */
  callIsDue = false;
  readonly random: SeededRandom;
  readonly #arrivals: SeededRandom;
  /** The services that customers come for; empty if they come without a service. */
  offers: readonly Offer[] = [];
  #candidates = 0;

  constructor(id: string, random: SeededRandom) {
    this.id = id;
    this.random = random;
    this.#arrivals = random.fork("arrivals");
  }

  get isBusy(): boolean {
    return this.serving.size + this.attending.size > 0;
  }

  /** The time until the next possible arrival, in milliseconds. */
  nextCandidate(): number {
    if (this.#candidates === 0) return this.#arrivals.between(0.1, 1) * minute; // the first customer arrives at opening time
    const served = meanWork(this.offers) + changeover;
    return this.#arrivals.exponential(served / (highestLoad * highestAppeal));
  }

  /**
   * Decides whether the possible arrival at this time takes place. Returns the customer, or null. The random properties
   * of a customer do not depend on the customers before; only the decision whether they come does.
   */
  candidate(at: number): Person | null {
    const number = this.#candidates++;
    const doubt = this.#arrivals.next() * highestLoad * highestAppeal;
    const drawn = loadAt(at) * (appeal[this.line.length] ?? 0);
    const comes = number === 0 ? drawn > 0 : doubt < drawn;
    return this.open && comes
      ? randomPerson(this.random.fork(`person ${number}`), this.offers)
      : null;
  }

  /** The appointment that is due, or null. It takes precedence over the line. */
  bookingDue(at: number): Booking | null {
    return this.checkedIn.find(({ slotAt }) => slotAt <= at) ?? null;
  }
}

/** A queue, as the story reads it from the business. */
export interface SeenQueue {
  readonly id: string;
  readonly name: string;
  /** Whether it takes tokens. */
  readonly open: boolean;
  /** The services that customers come for. */
  readonly offers: readonly Offer[];
}

/** A customer in a queue, as the story reads them from the business. */
export interface SeenGuest {
  /** The id of their entry. */
  readonly ref: string;
  readonly token: string;
  readonly status: EntryStatus;
  /** The usual time of their service in minutes; null if unknown. */
  readonly minutes: number | null;
}

/** The queues of a story, and the customers who arrive, wait, are served and leave. */
export class Stations {
  readonly #random: SeededRandom;
  readonly #agenda: Agenda;
  readonly #stations = new Map<string, Station>();

  constructor(random: SeededRandom, agenda: Agenda) {
    this.#random = random;
    this.#agenda = agenda;
  }

  /** The first queue that the story read; null if it has read none. */
  get first(): Station | null {
    return this.all[0] ?? null;
  }

  /** All queues, in the order in which the story first read them. */
  get all(): readonly Station[] {
    return [...this.#stations.values()];
  }

  /** The number of customers in all queues. */
  get people(): number {
    return this.all.reduce((sum, { line, serving }) => sum + line.length + serving.size, 0);
  }

  /** The number of waiting customers in a queue. */
  waiting(queueId: string): number {
    return this.#stations.get(queueId)?.line.length ?? 0;
  }

  /** The entry ids of the known customers in a queue. */
  present(queueId: string): readonly string[] {
    const station = this.#stations.get(queueId);
    return station ? [...station.serving.keys(), ...station.line.map(({ ref }) => ref)] : [];
  }

  // ── Reading the state of the business

  /** Updates the queues. */
  see(queues: readonly SeenQueue[]): void {
    this.stopArrivals();
    for (const queue of queues) {
      const station = this.#stations.get(queue.id) ?? this.#added(queue);
      station.offers = queue.offers;
      station.open = queue.open;
    }
  }

  /** Stops arrivals until the story next reads the queues. */
  stopArrivals(): void {
    for (const station of this.all) station.open = false;
  }

  /** Updates the line of a queue. The waiting customers are in the order of their calls. */
  seeLine(queueId: string, seen: readonly SeenGuest[]): void {
    const station = this.#stations.get(queueId);
    if (!station) return;
    const known = new Map(station.serving);
    for (const guest of station.line) known.set(guest.ref, guest);
    const found = seen.map((one) => ({
      status: one.status,
      guest: known.get(one.ref) ?? this.#unsimulated(station, one),
    }));
    station.line = found.filter(({ status }) => status === "WAITING").map(({ guest }) => guest);
    const served = found.filter(({ status }) => status === "IN_SERVICE").map(({ guest }) => guest);
    this.#seeServed(station, served);
    this.callSoon(station);
  }

  #seeServed(station: Station, served: readonly Guest[]): void {
    const before = new Set(station.serving.keys());
    station.serving.clear();
    for (const guest of served) {
      station.serving.set(guest.ref, guest);
      if (!before.has(guest.ref)) this.#finishIn(station, guest.work / 2, guest.ref); // half of the service time has passed, on average
    }
  }

  // ── Results of events

  /** Adds a customer who received a token to the line. */
  join(queueId: string, person: Person, { ref, token }: Pick<Guest, "ref" | "token">): void {
    const station = this.#stations.get(queueId);
    if (!station) return;
    const { work, patience } = person;
    const guest = { ref, token, queueId, person, work, since: this.#agenda.now };
    station.line = [...station.line, guest];
    if (patience !== null) {
      this.#agenda.after(patience, { kind: "patience", station, ref });
    }
    this.callSoon(station);
  }

  /** The API refused a token: stops arrivals in the queue until the story next reads it. */
  turnAway(queueId: string): void {
    const station = this.#stations.get(queueId);
    if (station) station.open = false;
  }

  /** Forgets a customer because an event of theirs could not take place. */
  lose({ queueId, ref }: Guest): void {
    const station = this.#stations.get(queueId);
    if (!station) return;
    station.line = station.line.filter((guest) => guest.ref !== ref);
    station.serving.delete(ref);
    this.callSoon(station);
  }

  // ── Next events

  /** Schedules the next call, unless the counter is busy or no customer waits. */
  callSoon(station: Station): void {
    if (station.callIsDue || station.isBusy) return;
    if (station.line.length === 0 && !station.bookingDue(this.#agenda.now)) return;
    station.callIsDue = true;
    const delay = station.random.between(0.3, 1.5) * minute;
    this.#agenda.after(delay, { kind: "call", station });
  }

  /** Decides whether a customer arrives, and schedules the next possible arrival. */
  candidate(station: Station): Happening | null {
    const person = station.candidate(this.#agenda.now);
    this.#agenda.after(station.nextCandidate(), { kind: "candidate", station });
    return person && { kind: "arrive", queueId: station.id, person };
  }

  /** Calls the first customer in the line. */
  call(station: Station): Happening | null {
    const [guest, ...others] = station.line;
    if (!guest) return null;
    station.line = others;
    if (guest.person?.staysNear === false) {
      this.callSoon(station);
      return { kind: "no-show", guest };
    }
    station.serving.set(guest.ref, guest);
    this.#finishIn(station, guest.work, guest.ref);
    return { kind: "call", guest };
  }

  #finishIn(station: Station, ms: number, ref: string): void {
    this.#agenda.after(ms, { kind: "finish", station, ref });
  }

  /** Completes the service of a customer. */
  finish(station: Station, ref: string): Happening | null {
    const guest = station.serving.get(ref);
    if (!guest) return null; // a person has completed it
    station.serving.delete(ref);
    this.callSoon(station);
    return { kind: "complete", guest };
  }

  /** Removes a customer who gives up waiting. */
  giveUp(station: Station, ref: string): Happening | null {
    const guest = station.line.find((guest) => guest.ref === ref);
    if (!guest) return null; // they have been called
    station.line = station.line.filter((other) => other !== guest);
    return { kind: "give-up", guest };
  }

  #added({ id, name }: SeenQueue): Station {
    const station = new Station(id, this.#random.fork(`queue ${name}`));
    this.#stations.set(id, station);
    this.#agenda.after(station.nextCandidate(), { kind: "candidate", station });
    return station;
  }

  /** A customer that the simulation did not create. */
  #unsimulated(station: Station, { ref, token, minutes }: SeenGuest): Guest {
    const work = workOf(station.random.fork(`stranger ${token}`), minutes);
    return { ref, token, queueId: station.id, person: null, work, since: this.#agenda.now };
  }
}
