import {
  type AppointmentStatus,
  appointmentStatus,
  customerName,
  id,
  phone,
  timeOfDay,
} from "@queue-api/contract";
import { z } from "zod";
import { wellFormedText } from "../lib/well-formed-text.js";
import { wholeNumber } from "../lib/whole-number.js";
import type { Store } from "../operations/store.js";
import type { Appointment } from "../rules/records.js";
import { businessWith, noSuch } from "./business.js";
import { keptDay } from "./kept-day.js";
import { OwnerError } from "./owner-error.js";

/** The fields of an appointment. */
export const appointmentOptions = z.strictObject({
  date: keptDay,
  slotTime: timeOfDay,
  durationMinutes: wholeNumber(1, 1_440),
  status: appointmentStatus,
  /** A service of the business, or null. */
  serviceId: id.nullable(),
  customerName: customerName.nullable(),
  customerPhone: phone.nullable(),
  /** Only the business sees these. */
  notes: wellFormedText.max(2_000, "must be at most 2000 characters").nullable(),
});

/** Sets the status of an appointment. Throws `OwnerError` if it does not exist, or has a token. */
export async function setAppointmentStatus(
  store: Store,
  appointmentId: string,
  status: AppointmentStatus,
): Promise<Appointment> {
  const business = await businessWith(store, "appointment", appointmentId);
  const changed = await store.appointments.change(business.id, appointmentId, { status });
  if (changed.outcome === "has_token") throw new OwnerError({ code: "appointment_has_token" });
  if (changed.outcome !== "changed") throw noSuch("appointment");
  return changed.appointment;
}
