import type { AppointmentStatus } from "@queue-api/contract";
import type { Appointment } from "../../rules/records.js";
import type { Page, PageRequest } from "../store.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type AppointmentRow, appointmentColumns, readAppointment } from "./records.js";

export function prepareAppointments(db: Connection) {
  const find = db.query<AppointmentRow>(
    `SELECT json_array(${appointmentColumns("a")}) FROM appointments a WHERE a.id = ? AND a.business_id = ?`,
  );
  const slotOf = db.query<[slotTime: string]>(
    "SELECT json_array(slot_time) FROM appointments WHERE id = ? AND business_id = ? AND date = ?",
  );
  const pageAfter = db.query<AppointmentRow[]>(
    list(
      appointmentColumns,
      "appointments",
      `WHERE business_id = ? AND date = ? AND (slot_time, id) > (?, ?)
       ORDER BY slot_time, id LIMIT ?`,
    ),
  );
  const setStatus = db.command(
    "UPDATE appointments SET status = ? WHERE id = ? AND business_id = ?",
  );

  function appointment(businessId: string, id: string): Appointment | null {
    const row = find(id, businessId);
    return row && readAppointment(row);
  }

  return {
    appointment,

    appointmentsPage(
      businessId: string,
      date: string,
      { after, limit }: PageRequest,
    ): Page<Appointment> | "cursor_unknown" {
      return db.reading(() => {
        const slot = after === null ? "" : slotOf(after, businessId, date)?.[0];
        if (slot === undefined) return "cursor_unknown";
        const rows = pageAfter(businessId, date, slot, after ?? "", limit + 1) ?? [];
        return { items: rows.slice(0, limit).map(readAppointment), more: rows.length > limit };
      });
    },

    setAppointmentStatus(
      businessId: string,
      id: string,
      status: AppointmentStatus,
    ): Appointment | null {
      setStatus(status, id, businessId);
      return appointment(businessId, id);
    },
  };
}
