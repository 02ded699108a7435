import type { Page } from "../../rules/list-answer.js";
import { listDay } from "../../rules/list-day.js";
import type { Appointment } from "../../rules/records.js";
import type { AppointmentChange } from "../port/appointments.js";
import type { PageRequest } from "../port/page.js";
import type { AddOutcome, RemoveOutcome } from "../port/queues.js";
import type { Connection } from "./connection.js";
import { appointments } from "./schema.js";

/** The appointments of a business. */
export function prepareAppointments(db: Connection) {
  const find = db.query<Appointment>(
    `SELECT ${appointments.json("a")} FROM appointments a WHERE a.id = ? AND a.business_id = ?`,
  );
  const pageAfter = db.query<Appointment[]>(
    appointments.list(
      `WHERE business_id = ? AND date = ? AND (slot_time, id) > (?, ?)
       ORDER BY slot_time, id LIMIT ?`,
    ),
  );
  const remove = db.command("DELETE FROM appointments WHERE id = ?");
  const insert = appointments.insert(db, "ON CONFLICT (id) DO NOTHING");
  const update = appointments.update(db, "id");

  return {
    get: (businessId: string, id: string): Appointment | null => find(id, businessId),

    page(
      businessId: string,
      asked: string,
      { after, limit, orEarlier = false }: PageRequest,
    ): Page<Appointment> | "cursor_unknown" {
      return db.reading(() => {
        const cursor =
          after === null ? { date: asked, slotTime: "", id: "" } : find(after, businessId);
        const date = cursor && listDay(asked, cursor.date, orEarlier);
        if (!cursor || date === null) return "cursor_unknown";
        const found = pageAfter(businessId, date, cursor.slotTime, cursor.id, limit + 1) ?? [];
        return { items: found.slice(0, limit), more: found.length > limit };
      });
    },

    add: (_businessId: string, appointment: Appointment): AddOutcome =>
      insert(appointment) ? "added" : "exists",

    change(businessId: string, id: string, change: AppointmentChange): Appointment | null {
      const before = find(id, businessId);
      return before && update(before, { ...before, ...change });
    },

    remove(businessId: string, id: string): RemoveOutcome {
      const appointment = find(id, businessId);
      if (!appointment) return "not_found";
      if (appointment.entryId !== null) return "in_use";
      remove(id);
      return "removed";
    },
  };
}
