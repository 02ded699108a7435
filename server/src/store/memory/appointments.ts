import type { AppointmentStore } from "../port/appointments.js";
import {
  addOne,
  changeOne,
  compare,
  owned,
  ownedBy,
  pageOf,
  removeOne,
  type Tables,
} from "./tables.js";

export function memoryAppointments({ appointments }: Tables): AppointmentStore {
  return {
    get: async (businessId, appointmentId) => owned(businessId, appointments.get(appointmentId)),

    async page(businessId, asked, page) {
      const dayOf = (date: string) =>
        ownedBy(businessId, appointments)
          .filter((appointment) => appointment.date === date)
          .sort((a, b) => compare(a.slotTime, b.slotTime) || compare(a.id, b.id));
      const found = pageOf(appointments, dayOf, asked, page);
      return found ? { items: found.items, more: found.more } : "cursor_unknown";
    },

    add: async (_businessId, appointment) => addOne(appointments, appointment),
    change: async (businessId, appointmentId, change) =>
      changeOne(appointments, businessId, appointmentId, change),
    remove: async (businessId, appointmentId) =>
      removeOne(appointments, businessId, appointmentId, ({ entryId }) => entryId !== null),
  };
}
