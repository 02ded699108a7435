import type { AppointmentStatus } from "@queue-api/contract";
import type { SeededRandom } from "../lib/seeded-random.js";
import type { Agenda, AppointmentMove } from "./agenda.js";
import { workOf } from "./customers.js";
import type { Station, Stations } from "./stations.js";
import { minute, timeOnDayOf } from "./story-time.js";

/** An appointment, as the story reads it from the business. */
export interface SeenAppointment {
  /** Its id. */
  readonly ref: string;
  readonly slotTime: string;
  readonly durationMinutes: number;
  readonly status: AppointmentStatus;
}

/** An appointment in the story. Times are the story's, in milliseconds. */
export interface Booking {
  readonly ref: string;
  readonly slotTime: string;
  readonly slotAt: number;
  /** How long serving takes. */
  readonly work: number;
  status: AppointmentStatus;
}

/** The first change of an appointment's status, and its time. */
interface BookingPlan {
  readonly status: "CANCELLED" | "NO_SHOW" | "CHECKED_IN";
  readonly at: number;
}

/** Decides whether the customer cancels, does not come, or comes: most come early, some late. */
function planBooking(random: SeededRandom, slotAt: number): BookingPlan {
  const chance = random.next();
  const early = random.between(2, 20) * minute;
  const late = random.between(1, 8) * minute;
  if (chance < 0.08) return { status: "CANCELLED", at: slotAt - random.between(45, 180) * minute };
  if (chance < 0.2) return { status: "NO_SHOW", at: slotAt + 15 * minute };
  return { status: "CHECKED_IN", at: chance < 0.3 ? slotAt + late : slotAt - early };
}

/** The appointments of a story. The first queue of the story serves them. */
export class Appointments {
  readonly #random: SeededRandom;
  readonly #agenda: Agenda;
  readonly #stations: Stations;
  readonly #bookings = new Map<string, Booking>();

  constructor(random: SeededRandom, agenda: Agenda, stations: Stations) {
    this.#random = random;
    this.#agenda = agenda;
    this.#stations = stations;
  }

  /** The number of appointments that have not ended. */
  get size(): number {
    return this.#bookings.size;
  }

  /** Adds the appointments of today. `day` is the number of the day. Skips appointments that have ended or are known. */
  see(appointments: readonly SeenAppointment[], day: number): void {
    const station = this.#stations.first;
    if (!station) return;
    for (const { ref, slotTime, durationMinutes, status } of appointments) {
      if (this.#bookings.has(ref) || hasEnded(status)) continue;
      const random = this.#random.fork(`appointment ${day} ${slotTime}`);
      const slotAt = timeOnDayOf(this.#agenda.now, slotTime);
      const plan = planBooking(random, slotAt);
      const work = workOf(random, durationMinutes);
      this.#bookings.set(ref, { ref, slotTime, slotAt, work, status });
      if (status === "CONFIRMED") this.#due(plan.at, ref, plan.status);
      if (status === "CHECKED_IN") this.#checkIn(station, ref);
      if (status === "IN_SERVICE") this.#attend(station, ref);
    }
  }

  /** Forgets an appointment, for example because a person changed its status. */
  lose(ref: string): void {
    this.#bookings.delete(ref);
    for (const station of this.#stations.all) {
      station.checkedIn = station.checkedIn.filter((booking) => booking.ref !== ref);
      station.attending.delete(ref);
      this.#stations.callSoon(station);
    }
  }

  /** Changes the status of an appointment. Null if the story has forgotten the appointment. */
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

function hasEnded(status: AppointmentStatus): boolean {
  return status === "COMPLETED" || status === "NO_SHOW" || status === "CANCELLED";
}
