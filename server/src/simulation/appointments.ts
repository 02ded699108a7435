import type { AppointmentStatus } from "@queue-api/contract";
import type { Dice } from "../lib/seeded-random.js";
import { type Booking, planBooking, type SeenAppointment } from "./booking.js";
import type { StoryAgenda } from "./due.js";
import { workOf } from "./guest.js";
import type { AppointmentMove } from "./happening.js";
import { timeOnDayOf } from "./opening-hours.js";
import type { Station } from "./station.js";
import type { Stations } from "./stations.js";

/** The appointments of a story. They are for the first of its queues. */
export class Appointments {
  readonly #dice: Dice;
  readonly #agenda: StoryAgenda;
  readonly #stations: Stations;
  readonly #bookings = new Map<string, Booking>();

  constructor(dice: Dice, agenda: StoryAgenda, stations: Stations) {
    this.#dice = dice;
    this.#agenda = agenda;
    this.#stations = stations;
  }

  /** How many are not over. */
  get size(): number {
    return this.#bookings.size;
  }

  /** Takes in those of today, the day of that number. Those that are over, or known, stay as they are. */
  see(appointments: readonly SeenAppointment[], day: number): void {
    const station = this.#stations.first;
    if (!station) return;
    for (const { ref, slotTime, durationMinutes, status } of appointments) {
      if (this.#bookings.has(ref) || isOver(status)) continue;
      const dice = this.#dice.of(`appointment ${day} ${slotTime}`);
      const slotAt = timeOnDayOf(this.#agenda.now, slotTime);
      const plan = planBooking(dice, slotAt);
      const work = workOf(dice, durationMinutes);
      this.#bookings.set(ref, { ref, slotTime, slotAt, work, status });
      if (status === "CONFIRMED") this.#due(plan.at, ref, plan.status);
      if (status === "CHECKED_IN") this.#checkIn(station, ref);
      if (status === "IN_SERVICE") this.#attend(station, ref);
    }
  }

  /** What was said of one could not be done: somebody else has decided about it. */
  lose(ref: string): void {
    this.#bookings.delete(ref);
    for (const station of this.#stations.all) {
      station.checkedIn = station.checkedIn.filter((booking) => booking.ref !== ref);
      station.attending.delete(ref);
      this.#stations.callSoon(station);
    }
  }

  /** One moves on to another state. Null when somebody else has decided about it. */
  move(ref: string, to: AppointmentStatus): AppointmentMove | null {
    const booking = this.#bookings.get(ref);
    const station = this.#stations.first;
    if (!booking || !station) return null;
    const { slotTime, status: from } = booking;
    booking.status = to;
    if (to === "CHECKED_IN") this.#checkIn(station, ref);
    else if (to === "IN_SERVICE") this.#attend(station, ref);
    else this.lose(ref);
    return { kind: "appointment", ref, slotTime, from, to };
  }

  #checkIn(station: Station, ref: string): void {
    const booking = this.#bookings.get(ref);
    if (!booking) return;
    station.checkedIn = [...station.checkedIn, booking];
    this.#agenda.at(booking.slotAt, { kind: "slot", station });
  }

  #attend(station: Station, ref: string): void {
    const booking = this.#bookings.get(ref);
    if (!booking) return;
    station.checkedIn = station.checkedIn.filter((other) => other !== booking);
    station.attending.set(ref, booking);
    this.#due(this.#agenda.now + booking.work, ref, "COMPLETED");
  }

  #due(at: number, ref: string, to: AppointmentStatus): void {
    this.#agenda.at(at, { kind: "booking", ref, to });
  }
}

function isOver(status: AppointmentStatus): boolean {
  return status === "COMPLETED" || status === "NO_SHOW" || status === "CANCELLED";
}
