import type { EntryStatus } from "@queue-api/contract";
import type { Dice } from "../lib/seeded-random.js";
import type { StoryAgenda } from "./due.js";
import { type Guest, type Offer, type Person, workOf } from "./guest.js";
import type { Happening } from "./happening.js";
import { minute } from "./opening-hours.js";
import { Station } from "./station.js";

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
  readonly #dice: Dice;
  readonly #agenda: StoryAgenda;
  readonly #stations = new Map<string, Station>();

  constructor(dice: Dice, agenda: StoryAgenda) {
    this.#dice = dice;
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
    const moment = station.dice.between(0.3, 1.5) * minute;
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
    const station = new Station(id, this.#dice.of(`queue ${name}`));
    this.#stations.set(id, station);
    this.#agenda.after(station.nextCandidate(), { kind: "candidate", station });
    return station;
  }

  #stranger(station: Station, { ref, token, minutes }: SeenGuest): Guest {
    const work = workOf(station.dice.of(`stranger ${token}`), minutes);
    return { ref, token, queueId: station.id, person: null, work, since: this.#agenda.now };
  }
}
