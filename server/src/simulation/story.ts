import type { AppointmentStatus, EntryStatus } from "@queue-api/contract";
import { Agenda } from "./agenda.js";
import { type Booking, planBooking, type SeenAppointment } from "./booking.js";
import { Dice } from "./dice.js";
import { type Guest, type Offer, type Person, workOf } from "./guest.js";
import { dayOf, minute, timeOnDayOf } from "./opening-hours.js";
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

/** What happens next. */
export type Happening =
  /** Time to look around: see {@link Story.seeQueues} and {@link Story.seeLine}. */
  | { readonly kind: "look"; readonly firstOfDay: boolean }
  /** Somebody is at the door: see {@link Story.join} and {@link Story.turnAway}. */
  | { readonly kind: "arrive"; readonly queueId: string; readonly person: Person }
  | { readonly kind: "call"; readonly guest: Guest }
  | { readonly kind: "no-show"; readonly guest: Guest }
  | { readonly kind: "complete"; readonly guest: Guest }
  | { readonly kind: "give-up"; readonly guest: Guest }
  | AppointmentMove;

/** An appointment moves on from one state to another. */
export interface AppointmentMove {
  readonly kind: "appointment";
  readonly ref: string;
  readonly slotTime: string;
  readonly from: AppointmentStatus;
  readonly to: AppointmentStatus;
}

type Due =
  | { readonly kind: "look" }
  | { readonly kind: "candidate" | "call" | "slot"; readonly station: Station }
  | { readonly kind: "finish" | "patience"; readonly station: Station; readonly ref: string }
  | { readonly kind: "booking"; readonly ref: string; readonly to: AppointmentStatus };

/** How often to look around. */
const lookEvery = 15 * minute;

/**
 * What happens in a business in which people arrive, wait, are called, are served, give up or do not show
 * up. It is told what is there, and decides what comes next by its seed alone: it has no clock and does
 * nothing itself. Its time is in milliseconds from its beginning (see `opening-hours.ts`).
 *
 * Whatever it says has happened as far as it knows. Whoever carries it out tells when it could not.
 */
export class Story {
  readonly #dice: Dice;
  readonly #agenda = new Agenda<Due>();
  readonly #stations = new Map<string, Station>();
  readonly #bookings = new Map<string, Booking>();
  #now = 0;
  #day = 0;

  /** @param seed A whole number: the same tells the same story. */
  constructor(seed: number) {
    this.#dice = new Dice(seed);
    this.#agenda.add(0, { kind: "look" });
  }

  /** The time that the story has come to. */
  get now(): number {
    return this.#now;
  }

  /** When the next thing may happen. */
  get nextAt(): number {
    return this.#agenda.next?.at ?? this.#now;
  }

  /** The queue in which somebody may be called next: look at its line before that. Null for anything else. */
  get nextCall(): string | null {
    const item = this.#agenda.next?.item;
    return item?.kind === "call" ? item.station.id : null;
  }

  /** How many things the story keeps in mind: stays within bounds, however long it goes on. */
  get size(): number {
    const stations = [...this.#stations.values()];
    const people = stations.reduce((sum, { line, serving }) => sum + line.length + serving.size, 0);
    return this.#agenda.size + this.#bookings.size + people;
  }

  /** How many wait in a queue. */
  waiting(queueId: string): number {
    return this.#stations.get(queueId)?.line.length ?? 0;
  }

  /** Everybody the story knows to be in a queue, by the id of their entry. */
  present(queueId: string): readonly string[] {
    const station = this.#stations.get(queueId);
    return station ? [...station.serving.keys(), ...station.line.map(({ ref }) => ref)] : [];
  }

  /** Goes on to the next thing that is due. Null when nothing comes of it after all. */
  next(): Happening | null {
    const due = this.#agenda.take();
    if (!due) return null;
    this.#now = due.at;
    const { item } = due;
    switch (item.kind) {
      case "look":
        return this.#look();
      case "candidate":
        return this.#candidate(item.station);
      case "slot":
        this.#callSoon(item.station);
        return null;
      case "call":
        return this.#call(item.station);
      case "finish":
        return this.#finish(item.station, item.ref);
      case "patience":
        return this.#giveUp(item.station, item.ref);
      case "booking":
        return this.#moveBooking(item.ref, item.to);
    }
  }

  // ── What is there

  /** Takes in which queues there are. */
  seeQueues(queues: readonly SeenQueue[]): void {
    this.closeDoors();
    for (const queue of queues) {
      const station = this.#stations.get(queue.id) ?? this.#found(queue);
      station.offers = queue.offers;
      station.open = queue.open;
    }
  }

  /** Lets nobody in until the next look. */
  closeDoors(): void {
    for (const station of this.#stations.values()) station.open = false;
  }

  /** Takes in who is in a queue: those who wait, in the order in which they will be called, and those served. */
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
    this.#callSoon(station);
  }

  #seeServed(station: Station, served: readonly Guest[]): void {
    const before = new Set(station.serving.keys());
    station.serving.clear();
    for (const guest of served) {
      station.serving.set(guest.ref, guest);
      if (!before.has(guest.ref)) this.#finishIn(station, guest.work / 2, guest.ref); // begun some time ago
    }
  }

  /** Takes in the appointments of the day. Those that are over, or known, stay as they are. */
  seeAppointments(appointments: readonly SeenAppointment[]): void {
    const [station] = this.#stations.values();
    if (!station) return;
    for (const { ref, slotTime, durationMinutes, status } of appointments) {
      if (this.#bookings.has(ref) || isOver(status)) continue;
      const dice = this.#dice.of(`appointment ${this.#day} ${slotTime}`);
      const slotAt = timeOnDayOf(this.#now, slotTime);
      const plan = planBooking(dice, slotAt);
      const work = workOf(dice, durationMinutes);
      this.#bookings.set(ref, { ref, slotTime, slotAt, work, status });
      if (status === "CONFIRMED") this.#bookingDue(plan.at, ref, plan.status);
      if (status === "CHECKED_IN") this.#checkIn(station, ref);
      if (status === "IN_SERVICE") this.#attend(station, ref);
    }
  }

  // ── What came of it

  /** Somebody who arrived was given a token. */
  join(queueId: string, person: Person, { ref, token }: Pick<Guest, "ref" | "token">): void {
    const station = this.#stations.get(queueId);
    if (!station) return;
    const { work, patience } = person;
    const guest = { ref, token, queueId, person, work, since: this.#now };
    station.line = [...station.line, guest];
    if (patience !== null) {
      this.#agenda.add(this.#now + patience, { kind: "patience", station, ref });
    }
    this.#callSoon(station);
  }

  /** Somebody who arrived got no token; nobody else comes to that queue until the next look. */
  turnAway(queueId: string): void {
    const station = this.#stations.get(queueId);
    if (station) station.open = false;
  }

  /** What was said of somebody could not be done. Who is in a queue after all is found there again. */
  lose({ queueId, ref }: Guest): void {
    const station = this.#stations.get(queueId);
    if (!station) return;
    station.line = station.line.filter((guest) => guest.ref !== ref);
    station.serving.delete(ref);
    this.#callSoon(station);
  }

  /** What was said of an appointment could not be done: somebody else has decided about it. */
  loseAppointment(ref: string): void {
    this.#bookings.delete(ref);
    for (const station of this.#stations.values()) {
      station.checkedIn = station.checkedIn.filter((booking) => booking.ref !== ref);
      station.attending.delete(ref);
      this.#callSoon(station);
    }
  }

  // ── How it goes on

  #look(): Happening {
    this.#agenda.add(this.#now + lookEvery, { kind: "look" });
    const day = dayOf(this.#now);
    const firstOfDay = day !== this.#day;
    this.#day = day;
    return { kind: "look", firstOfDay };
  }

  #found({ id, name }: SeenQueue): Station {
    const station = new Station(id, this.#dice.of(`queue ${name}`));
    this.#stations.set(id, station);
    this.#agenda.add(this.#now + station.nextCandidate(), { kind: "candidate", station });
    return station;
  }

  #stranger(station: Station, { ref, token, minutes }: SeenGuest): Guest {
    const work = workOf(station.dice.of(`stranger ${token}`), minutes);
    return { ref, token, queueId: station.id, person: null, work, since: this.#now };
  }

  #candidate(station: Station): Happening | null {
    const person = station.candidate(this.#now);
    this.#agenda.add(this.#now + station.nextCandidate(), { kind: "candidate", station });
    return person && { kind: "arrive", queueId: station.id, person };
  }

  /** Whoever serves calls the next one in a moment, unless they are busy or nobody is there. */
  #callSoon(station: Station): void {
    if (station.callIsDue || station.isBusy) return;
    if (station.line.length === 0 && !station.bookingDue(this.#now)) return;
    station.callIsDue = true;
    const moment = station.dice.between(0.3, 1.5) * minute;
    this.#agenda.add(this.#now + moment, { kind: "call", station });
  }

  #call(station: Station): Happening | null {
    station.callIsDue = false;
    if (station.isBusy) return null;
    const booking = station.bookingDue(this.#now);
    if (booking) return this.#moveBooking(booking.ref, "IN_SERVICE");
    const [guest, ...others] = station.line;
    if (!guest) return null;
    station.line = others;
    if (guest.person?.staysNear === false) {
      this.#callSoon(station);
      return { kind: "no-show", guest };
    }
    station.serving.set(guest.ref, guest);
    this.#finishIn(station, guest.work, guest.ref);
    return { kind: "call", guest };
  }

  #finishIn(station: Station, ms: number, ref: string): void {
    this.#agenda.add(this.#now + ms, { kind: "finish", station, ref });
  }

  #finish(station: Station, ref: string): Happening | null {
    const guest = station.serving.get(ref);
    if (!guest) return null; // somebody else has finished it
    station.serving.delete(ref);
    this.#callSoon(station);
    return { kind: "complete", guest };
  }

  #giveUp(station: Station, ref: string): Happening | null {
    const guest = station.line.find((guest) => guest.ref === ref);
    if (!guest) return null; // they were called in time
    station.line = station.line.filter((other) => other !== guest);
    return { kind: "give-up", guest };
  }

  #bookingDue(at: number, ref: string, to: AppointmentStatus): void {
    this.#agenda.add(Math.max(this.#now, at), { kind: "booking", ref, to });
  }

  /** Appointments are for the first of the queues. */
  #moveBooking(ref: string, to: AppointmentStatus): AppointmentMove | null {
    const booking = this.#bookings.get(ref);
    const [station] = this.#stations.values();
    if (!booking || !station) return null;
    const { slotTime, status: from } = booking;
    booking.status = to;
    if (to === "CHECKED_IN") this.#checkIn(station, ref);
    else if (to === "IN_SERVICE") this.#attend(station, ref);
    else this.loseAppointment(ref);
    return { kind: "appointment", ref, slotTime, from, to };
  }

  #checkIn(station: Station, ref: string): void {
    const booking = this.#bookings.get(ref);
    if (!booking) return;
    station.checkedIn = [...station.checkedIn, booking];
    this.#agenda.add(Math.max(this.#now, booking.slotAt), { kind: "slot", station });
  }

  #attend(station: Station, ref: string): void {
    const booking = this.#bookings.get(ref);
    if (!booking) return;
    station.checkedIn = station.checkedIn.filter((other) => other !== booking);
    station.attending.set(ref, booking);
    this.#bookingDue(this.#now + booking.work, ref, "COMPLETED");
  }
}

function isOver(status: AppointmentStatus): boolean {
  return status === "COMPLETED" || status === "NO_SHOW" || status === "CANCELLED";
}
