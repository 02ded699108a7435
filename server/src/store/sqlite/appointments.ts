import type { Page } from "../../rules/list-answer.js";
import { listDay } from "../../rules/list-day.js";
import type { Appointment } from "../../rules/records.js";
import type { AppointmentChange } from "../port/appointments.js";
import type { PageRequest } from "../port/page.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type AppointmentRow, appointmentColumns, readAppointment } from "./records.js";

/** The place before the first item of a list. */
const beforeAll = (date: string): [date: string, slotTime: string] => [date, ""];

export function prepareAppointments(db: Connection) {
  const find = db.query<AppointmentRow>(
    `SELECT json_array(${appointmentColumns("a")}) FROM appointments a WHERE a.id = ? AND a.business_id = ?`,
  );
  const findCursor = db.query<[date: string, slotTime: string]>(
    "SELECT json_array(date, slot_time) FROM appointments WHERE id = ? AND business_id = ?",
  );
  const pageAfter = db.query<AppointmentRow[]>(
    list(
      appointmentColumns,
      "appointments",
      `WHERE business_id = ? AND date = ? AND (slot_time, id) > (?, ?)
       ORDER BY slot_time, id LIMIT ?`,
    ),
  );
  const insert = db.command(`
    INSERT INTO appointments (id, business_id, date, slot_time, duration_minutes, status, service_id,
      customer_name, customer_phone, notes, entry_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const update = db.command(`
    UPDATE appointments SET date = ?, slot_time = ?, duration_minutes = ?, status = ?,
      service_id = ?, customer_name = ?, customer_phone = ?, notes = ?,
      entry_id = ?
    WHERE id = ?`);

  function get(businessId: string, id: string): Appointment | null {
    const row = find(id, businessId);
    return row && readAppointment(row);
  }

  return {
    get,

    page(
      businessId: string,
      asked: string,
      { after, limit, orEarlier = false }: PageRequest,
    ): Page<Appointment> | "cursor_unknown" {
      return db.reading(() => {
        const cursor = after === null ? beforeAll(asked) : findCursor(after, businessId);
        const date = cursor && listDay(asked, cursor[0], orEarlier);
        if (!cursor || date === null) return "cursor_unknown";
        const [, slot] = cursor;
        const rows = pageAfter(businessId, date, slot, after ?? "", limit + 1) ?? [];
        return { items: rows.slice(0, limit).map(readAppointment), more: rows.length > limit };
      });
    },

    add(businessId: string, appointment: Appointment): void {
      insert(appointment.id, businessId, ...changeable(appointment));
    },

    change(businessId: string, id: string, change: AppointmentChange): Appointment | null {
      const before = get(businessId, id);
      if (!before) return null;
      const after = { ...before, ...change };
      update(...changeable(after), id);
      return after;
    },
  };
}

export type Appointments = ReturnType<typeof prepareAppointments>;

function changeable(appointment: Appointment) {
  const { date, slotTime, durationMinutes, status, serviceId } = appointment;
  const { customerName, customerPhone, notes, entryId } = appointment;
  return [
    ...[date, slotTime, durationMinutes, status, serviceId],
    ...[customerName, customerPhone, notes, entryId],
  ] as const;
}
