import type { AppointmentStore } from "../port/appointments.js";
import { compare, pageOf, type Tables } from "./tables.js";

export function memoryAppointments({ appointments }: Tables): AppointmentStore {
  return {
    get: async (businessId, id) => appointments.of(businessId, id),

    async page(businessId, asked, page) {
      const dayOf = (date: string) =>
        appointments
          .all(businessId)
          .filter((appointment) => appointment.date === date)
          .sort((a, b) => compare(a.slotTime, b.slotTime) || compare(a.id, b.id));
      const found = pageOf(appointments, dayOf, asked, page);
      return found ? { items: found.items, more: found.more } : "cursor_unknown";
    },

    add: async (_, appointment) => appointments.add(appointment),
    change: async (businessId, id, change) => appointments.change(businessId, id, change),
    remove: async (businessId, id) =>
      appointments.remove(businessId, id, ({ entryId }) => entryId !== null),
  };
}
