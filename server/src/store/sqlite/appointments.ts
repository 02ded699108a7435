import { listDay } from "../../rules/list-day.js";
import type { Appointment } from "../../rules/records.js";
import type { AppointmentStore } from "../port/appointments.js";
import type { Connection } from "./connection.js";
import { appointments } from "./schema.js";
import type { Steps } from "./steps.js";

/** The appointments of a business. */
export function prepareAppointments(db: Connection): Steps<AppointmentStore> {
  const { find, add, change, remove } = appointments.owned(db);
  const pageAfter = appointments.list<Appointment>(
    db,
    `WHERE business_id = ? AND date = ? AND (slot_time, id) > (?, ?)
       ORDER BY slot_time, id LIMIT ?`,
  );

  return {
    get: find,

    page(businessId, asked, { after, limit, orEarlier = false }) {
      const cursor =
        after === null ? { date: asked, slotTime: "", id: "" } : find(businessId, after);
      const date = cursor && listDay(asked, cursor.date, orEarlier);
      if (!cursor || date === null) return "cursor_unknown";
      const found = pageAfter(businessId, date, cursor.slotTime, cursor.id, limit + 1);
      return { items: found.slice(0, limit), more: found.length > limit };
    },

    add: (_, appointment) => add(appointment),
    change,
    remove: (businessId, id) => remove(businessId, id, ({ entryId }) => entryId !== null),
  };
}
