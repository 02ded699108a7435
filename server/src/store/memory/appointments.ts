import { listDay } from "../../rules/list-day.js";
import type { AppointmentStore } from "../port/appointments.js";
import { addOne, changeOne, compare, owned, ownedBy, removeOne, type Tables } from "./tables.js";

export function memoryAppointments({ appointments }: Tables): AppointmentStore {
  return {
    get: async (businessId, appointmentId) => owned(businessId, appointments.get(appointmentId)),

    async page(businessId, asked, { limit, after, orEarlier = false }) {
      const cursor = after === null ? null : appointments.get(after);
      const date = cursor ? listDay(asked, cursor.date, orEarlier) : asked;
      const day = ownedBy(businessId, appointments)
        .filter((appointment) => appointment.date === date)
        .sort((a, b) => compare(a.slotTime, b.slotTime) || compare(a.id, b.id));
      const start = after === null ? -1 : day.findIndex((appointment) => appointment.id === after);
      if (after !== null && start < 0) return "cursor_unknown";
      const rest = day.slice(start + 1);
      return { items: rest.slice(0, limit), more: rest.length > limit };
    },

    add: async (_businessId, appointment) => addOne(appointments, appointment),
    change: async (businessId, appointmentId, change) =>
      changeOne(appointments, businessId, appointmentId, change),
    remove: async (businessId, appointmentId) =>
      removeOne(appointments, businessId, appointmentId, ({ entryId }) => entryId !== null),
  };
}
