import { type AppointmentWithEntry, matched } from "../rules/appointment-status.js";
import type { Appointment } from "../rules/records.js";
import type { Store } from "./store.js";

/** Reads the entries of appointments, and sets the statuses that follow from them. */
export async function withEntries(
  store: Pick<Store, "entries">,
  businessId: string,
  appointments: readonly Appointment[],
): Promise<AppointmentWithEntry[]> {
  const ids = appointments.flatMap(({ entryId }) => entryId ?? []);
  const entries = ids.length === 0 ? [] : await store.entries.byIds(businessId, ids);
  return matched(appointments, entries);
}
