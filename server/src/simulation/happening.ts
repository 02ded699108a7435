import type { AppointmentStatus } from "@queue-api/contract";
import type { Guest, Person } from "./guest.js";

/** What happens next. */
export type Happening =
  /** Time to look around: see `Story.seeQueues` and `Story.seeLine`. */
  | { readonly kind: "look"; readonly firstOfDay: boolean }
  /** Somebody is at the door: see `Story.join` and `Story.turnAway`. */
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
