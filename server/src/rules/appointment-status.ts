import type { AppointmentStatus, EntryStatus } from "@queue-api/contract";
import type { Appointment, Entry } from "./records.js";

const byEntry: Readonly<Record<EntryStatus, AppointmentStatus>> = {
  WAITING: "CHECKED_IN",
  IN_SERVICE: "IN_SERVICE",
  COMPLETED: "COMPLETED",
  CANCELED: "CANCELLED",
  NO_SHOW: "NO_SHOW",
};

/** An appointment with its current status, and the entry of its token; null if it has none. */
export interface AppointmentWithEntry {
  readonly appointment: Appointment;
  readonly entry: Entry | null;
}

/** An appointment with the entry that was issued for it. Its status then follows from the entry. */
export function withEntry(appointment: Appointment, entry: Entry | null): AppointmentWithEntry {
  if (!entry) return { appointment, entry };
  return { appointment: { ...appointment, status: byEntry[entry.status] }, entry };
}

/** Whether the customer of an appointment is still expected, so that a check-in issues their token. */
export function isExpected({ appointment: { status }, entry }: AppointmentWithEntry): boolean {
  return entry === null && (status === "CONFIRMED" || status === "CHECKED_IN");
}
