import { statusOfAppointment } from "../rules/appointment-status.js";
import type { Appointment, Entry } from "../rules/records.js";
import type { Store } from "./store.js";

/** An appointment with its current status, and the entry of its token; null if it has none. */
export interface AppointmentWithEntry {
  readonly appointment: Appointment;
  readonly entry: Entry | null;
}

/** Reads the entries of appointments, and sets the statuses that follow from them. */
export function withEntries(
  store: Pick<Store, "entries">,
  businessId: string,
  appointments: readonly Appointment[],
): Promise<AppointmentWithEntry[]> {
  return Promise.all(
    appointments.map(async (appointment) => {
      const { entryId } = appointment;
      const found = entryId === null ? null : await store.entries.get(businessId, entryId);
      const entry = found?.entry ?? null;
      return {
        appointment: { ...appointment, status: statusOfAppointment(appointment, entry) },
        entry,
      };
    }),
  );
}
