import type { EntryStatus } from "@queue-api/contract";
import type { SeededRandom } from "../lib/seeded-random.js";
import type { Agenda, Happening } from "./agenda.js";
import type { Booking } from "./appointments.js";
import { type Guest, meanWork, newcomer, type Offer, type Person, workOf } from "./customers.js";
import { highestLoad, loadAt, minute } from "./story-time.js";

/** How much a line of so many draws people in, or puts them off. Nobody joins a longer one. */
const appeal = [2.5, 1.6, 1.2, 1, 1, 1, 1, 0.7, 0.5, 0.35, 0.25, 0.2] as const;

const highestAppeal = Math.max(...appeal);

/** What there is between two people. */
const changeover = minute;

/** One queue in the story, with the one who serves there. */
export class Station {
  readonly id: string;
  /** Whether people are let in. */
  open = false;
  /** Those who wait, in the order in which they will be called. */
  line: readonly Guest[] = [];
  readonly serving = new Map<string, Guest>();
  /** Appointments whose people are here. */
  checkedIn: readonly Booking[] = [];
  readonly attending = new Map<string, Booking>();
  /** Whether the next call is noted in the agenda. */
  callIsDue = false;
  readonly random: SeededRandom;
  readonly #arrivals: SeededRandom;
  /** What people come for; empty for nothing that has a name. */
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

  /** How long until the next person thinks of coming. */
  nextCandidate(): number {
    if (this.#candidates === 0) return this.#arrivals.between(0.1, 1) * minute; // it opens with somebody at the door
    const served = meanWork(this.offers) + changeover;
    return this.#arrivals.exponential(served / (highestLoad * highestAppeal));
  }

  /**
   * Somebody who thought of coming at this time and does; null when they do not. What chance says of
   * anybody does not depend on who came before, only whether they come does.
   */
  candidate(at: number): Person | null {
    const number = this.#candidates++;
    const doubt = this.#arrivals.next() * highestLoad * highestAppeal;
    const drawn = loadAt(at) * (appeal[this.line.length] ?? 0);
    const comes = number === 0 ? drawn > 0 : doubt < drawn;
    return this.open && comes ? newcomer(this.random.fork(`person ${number}`), this.offers) : null;
  }

  /** The appointment whose turn it is, if any. It goes before those who wait in line. */
  bookingDue(at: number): Booking | null {
    return this.checkedIn.find(({ slotAt }) => slotAt <= at) ?? null;
  }
}

/** A queue as the story finds it. */
export interface SeenQueue {
  readonly id: string;
  readonly name: string;
  /** Whether it takes tokens. */
  readonly open: boolean;
  /** What people come for. */
  readonly offers: readonly Offer[];
}

/** Somebody in a queue as the story finds them. */
export interface SeenGuest {
  /** The id of their entry. */
  readonly ref: string;
  readonly token: string;
  readonly status: EntryStatus;
  /** Minutes that serving them usually takes; null when unknown. */
  readonly minutes: number | null;
}

/** The queues of a story: who comes to them, waits, is served, and goes. */
export class Stations {
  readonly #random: SeededRandom;
  readonly #agenda: Agenda;
  readonly #stations = new Map<string, Station>();

  constructor(random: SeededRandom, agenda: Agenda) {
    this.#random = random;
    this.#agenda = agenda;
  }

  /** The queue that the story found first; null when it has found none. */
  get first(): Station | null {
    return this.all[0] ?? null;
  }

  /** In the order in which they were found. */
  get all(): readonly Station[] {
    return [...this.#stations.values()];
  }

  /** How many people are in all of them. */
  get people(): number {
    return this.all.reduce((sum, { line, serving }) => sum + line.length + serving.size, 0);
  }

  /** How many wait in a queue. */
  waiting(queueId: string): number {
    return this.#stations.get(queueId)?.line.length ?? 0;
  }

  /** Everybody who is known to be in a queue, by the id of their entry. */
  present(queueId: string): readonly string[] {
    const station = this.#stations.get(queueId);
    return station ? [...station.serving.keys(), ...station.line.map(({ ref }) => ref)] : [];
  }

  // ── What is there

  /** Takes in which queues there are. */
  see(queues: readonly SeenQueue[]): void {
    this.closeDoors();
    for (const queue of queues) {
      const station = this.#stations.get(queue.id) ?? this.#found(queue);
      station.offers = queue.offers;
      station.open = queue.open;
    }
  }

  /** Lets nobody in until the next look. */
  closeDoors(): void {
    for (const station of this.all) station.open = false;
  }

  /** Takes in who is in a queue, the waiting in the order in which they will be called. */
  seeLine(queueId: string, seen: readonly SeenGuest[]): void {
    const station = this.#stations.get(queueId);
    if (!station) return;
    const known = new Map(station.serving);
    for (const guest of station.line) known.set(guest.ref, guest);
    const found = seen.map((one) => ({
      status: one.status,
      guest: known.get(one.ref) ?? this.#stranger(station, one),
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
      if (!before.has(guest.ref)) this.#finishIn(station, guest.work / 2, guest.ref); // begun some time ago
    }
  }

  // ── What came of it

  /** Somebody who arrived was given a token. */
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

  /** Somebody who arrived got no token; nobody else comes to that queue until the next look. */
  turnAway(queueId: string): void {
    const station = this.#stations.get(queueId);
    if (station) station.open = false;
  }

  /** What was said of somebody could not be done. */
  lose({ queueId, ref }: Guest): void {
    const station = this.#stations.get(queueId);
    if (!station) return;
    station.line = station.line.filter((guest) => guest.ref !== ref);
    station.serving.delete(ref);
    this.callSoon(station);
  }

  // ── How it goes on

  /** Whoever serves calls the next one in a moment, unless they are busy or nobody is there. */
  callSoon(station: Station): void {
    if (station.callIsDue || station.isBusy) return;
    if (station.line.length === 0 && !station.bookingDue(this.#agenda.now)) return;
    station.callIsDue = true;
    const moment = station.random.between(0.3, 1.5) * minute;
    this.#agenda.after(moment, { kind: "call", station });
  }

  /** Somebody may be at the door. */
  candidate(station: Station): Happening | null {
    const person = station.candidate(this.#agenda.now);
    this.#agenda.after(station.nextCandidate(), { kind: "candidate", station });
    return person && { kind: "arrive", queueId: station.id, person };
  }

  /** Whoever is first in line is called. */
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

  /** Somebody has been served. */
  finish(station: Station, ref: string): Happening | null {
    const guest = station.serving.get(ref);
    if (!guest) return null; // somebody else has finished it
    station.serving.delete(ref);
    this.callSoon(station);
    return { kind: "complete", guest };
  }

  /** Somebody has waited for as long as they wanted to. */
  giveUp(station: Station, ref: string): Happening | null {
    const guest = station.line.find((guest) => guest.ref === ref);
    if (!guest) return null; // they were called in time
    station.line = station.line.filter((other) => other !== guest);
    return { kind: "give-up", guest };
  }

  #found({ id, name }: SeenQueue): Station {
    const station = new Station(id, this.#random.fork(`queue ${name}`));
    this.#stations.set(id, station);
    this.#agenda.after(station.nextCandidate(), { kind: "candidate", station });
    return station;
  }

  #stranger(station: Station, { ref, token, minutes }: SeenGuest): Guest {
    const work = workOf(station.random.fork(`stranger ${token}`), minutes);
    return { ref, token, queueId: station.id, person: null, work, since: this.#agenda.now };
  }
}
