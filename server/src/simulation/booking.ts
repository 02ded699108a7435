import type { AppointmentStatus } from "@queue-api/contract";
import type { Dice } from "../lib/seeded-random.js";
import { minute } from "./opening-hours.js";

/** An appointment as the story finds it. */
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

/** What becomes of an appointment first, and when. */
export interface BookingPlan {
  readonly status: "CANCELLED" | "NO_SHOW" | "CHECKED_IN";
  readonly at: number;
}

/** Whether people call off, stay away, or come: mostly early, some late. */
export function planBooking(dice: Dice, slotAt: number): BookingPlan {
  const fate = dice.throw();
  const early = dice.between(2, 20) * minute;
  const late = dice.between(1, 8) * minute;
  if (fate < 0.08) return { status: "CANCELLED", at: slotAt - dice.between(45, 180) * minute };
  if (fate < 0.2) return { status: "NO_SHOW", at: slotAt + 15 * minute };
  return { status: "CHECKED_IN", at: fate < 0.3 ? slotAt + late : slotAt - early };
}
