import { listDay } from "../../rules/list-day.js";
import type { AppointmentStore } from "../port/appointments.js";
import { type Database, raw, readAll, readOne } from "./connection.js";
import { type AppointmentDoc, readAppointment, withId } from "./documents.js";
import { duplicateOf, repeatable } from "./guard.js";

export function mongoAppointments({ appointments }: Database): AppointmentStore {
  const find = (businessId: string, appointmentId: string) =>
    readOne(appointments, { _id: appointmentId, businessId });

  return {
    async get(businessId, appointmentId) {
      const doc = await find(businessId, appointmentId);
      return doc && readAppointment(doc);
    },

    async page(businessId, asked, { limit, after, orEarlier = false }) {
      const cursor = after === null ? null : await find(businessId, after);
      if (after !== null && !cursor) return "cursor_unknown";
      const date = cursor ? listDay(asked, cursor.date, orEarlier) : asked;
      if (date === null) return "cursor_unknown";
      const following = cursor && {
        $or: [
          { slotTime: { $gt: cursor.slotTime } },
          { slotTime: cursor.slotTime, _id: { $gt: cursor._id } },
        ],
      };
      const docs = await readAll(
        appointments,
        { businessId, date, ...following },
        { sort: { slotTime: 1, _id: 1 }, limit: limit + 1 },
      );
      return { items: docs.slice(0, limit).map(readAppointment), more: docs.length > limit };
    },

    async add(_businessId, appointment) {
      try {
        await raw(appointments).insertOne(withId(appointment));
        return "added";
      } catch (error) {
        if (duplicateOf(error) === null) throw error;
        return "exists";
      }
    },

    async change(businessId, appointmentId, change) {
      const doc = await repeatable(() =>
        appointments
          .findOneAndUpdate(
            { _id: appointmentId, businessId },
            { $set: change },
            { returnDocument: "after" },
          )
          .lean<AppointmentDoc>(),
      );
      return doc && readAppointment(doc);
    },

    async remove(businessId, appointmentId) {
      const unused = { _id: appointmentId, businessId, entryId: null };
      const { deletedCount } = await appointments.deleteOne(unused);
      if (deletedCount === 1) return "removed";
      return (await find(businessId, appointmentId)) ? "in_use" : "not_found";
    },
  };
}
