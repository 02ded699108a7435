import { listDay } from "../../rules/list-day.js";
import type { AppointmentStore } from "../port/appointments.js";
import { changeOne, compare, owned, ownedBy, type Tables } from "./tables.js";

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

    async add(_businessId, appointment) {
      appointments.set(appointment.id, appointment);
    },

    change: async (businessId, appointmentId, change) =>
      changeOne(appointments, businessId, appointmentId, change),
  };
}
