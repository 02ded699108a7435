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
function statusOfAppointment(
  { status }: Pick<Appointment, "status">,
  entry: Pick<Entry, "status"> | null,
): AppointmentStatus {
  return entry === null ? status : byEntry[entry.status];
}

/** An appointment with its current status, and the entry of its token; null if it has none. */
export interface AppointmentWithEntry {
  readonly appointment: Appointment;
  readonly entry: Entry | null;
}

/** Appointments with their entries, which are in any order. */
export function matched(
  appointments: readonly Appointment[],
  entries: readonly Entry[],
): AppointmentWithEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return appointments.map((appointment) => {
    const entry = byId.get(appointment.entryId ?? "") ?? null;
    const status = statusOfAppointment(appointment, entry);
    return { appointment: { ...appointment, status }, entry };
  });
}
