import { statusOfAppointment } from "../rules/appointment-status.js";
import type { Appointment, Entry } from "../rules/records.js";
import type { Store } from "./store.js";

/** An appointment with its current status, and the entry of its token; null if it has none. */
export interface AppointmentWithEntry {
  readonly appointment: Appointment;
  readonly entry: Entry | null;
}

/** Reads the entries of appointments, and sets the statuses that follow from them. */
export async function withEntries(
  store: Pick<Store, "entries">,
  businessId: string,
  appointments: readonly Appointment[],
): Promise<AppointmentWithEntry[]> {
  const ids = appointments.flatMap(({ entryId }) => entryId ?? []);
  const found = ids.length === 0 ? [] : await store.entries.byIds(businessId, ids);
  const entries = new Map(found.map((entry) => [entry.id, entry]));
  return appointments.map((appointment) => {
    const entry = entries.get(appointment.entryId ?? "") ?? null;
    return {
      appointment: { ...appointment, status: statusOfAppointment(appointment, entry) },
      entry,
    };
  });
}
