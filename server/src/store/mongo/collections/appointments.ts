import { Schema } from "mongoose";
import type { Appointment } from "../../../rules/records.js";

export interface AppointmentDoc extends Omit<Appointment, "id" | "entryId"> {
  readonly _id: string;
  /** Absent in documents of earlier versions. */
  readonly entryId?: string | null;
}

export const appointmentSchema = new Schema<AppointmentDoc>(
  {
    _id: String,
    businessId: String,
    date: String,
    slotTime: String,
    durationMinutes: Number,
    status: String,
    serviceId: String,
    customerName: String,
    customerPhone: String,
    notes: String,
    entryId: String,
  },
  { collection: "appointments" },
).index({ businessId: 1, date: 1, slotTime: 1, _id: 1 }, { name: "day" });

export function writeAppointment(appointment: Appointment): AppointmentDoc {
  const { id: _id, ...rest } = appointment;
  return { _id, ...rest };
}

export function readAppointment(doc: AppointmentDoc): Appointment {
  return {
    id: doc._id,
    businessId: doc.businessId,
    date: doc.date,
    slotTime: doc.slotTime,
    durationMinutes: doc.durationMinutes,
    status: doc.status,
    serviceId: doc.serviceId,
    customerName: doc.customerName,
    customerPhone: doc.customerPhone,
    notes: doc.notes,
    entryId: doc.entryId ?? null,
  };
}
