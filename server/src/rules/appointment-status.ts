import type { AppointmentStatus, EntryStatus } from "@queue-api/contract";
import type { Appointment, Entry } from "./records.js";

const byEntry: Readonly<Record<EntryStatus, AppointmentStatus>> = {
  WAITING: "CHECKED_IN",
  IN_SERVICE: "IN_SERVICE",
  COMPLETED: "COMPLETED",
  CANCELED: "CANCELLED",
  NO_SHOW: "NO_SHOW",
};

/**
 * The status of an appointment. Once the customer has a token, the status follows the token's entry. `entry`: that
 * entry; null if there is none, or if it is no longer kept.
 */
export function statusOfAppointment(
  { status }: Pick<Appointment, "status">,
  entry: Pick<Entry, "status"> | null,
): AppointmentStatus {
  return entry === null ? status : byEntry[entry.status];
}
