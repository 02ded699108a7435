import {
  type AppointmentStatus,
  appointmentStatus,
  customerName,
  day,
  id,
  phone,
  timeOfDay,
} from "@queue-api/contract";
import { z } from "zod";
import type { CheckInOutcome } from "../operations/appointments.js";
import type { Store } from "../operations/store.js";
import { businessDay } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import { storedPhone } from "../rules/phone.js";
import type { Appointment, Business } from "../rules/records.js";
import { businessOf, noSuch } from "./business.js";
import type { CreationContext } from "./creation-context.js";
import { wholeNumber } from "./validation-issues.js";

/** The fields of an appointment. */
export const appointmentOptions = z.strictObject({
  date: day,
  slotTime: timeOfDay,
  durationMinutes: wholeNumber(1, 1_440),
  status: appointmentStatus,
  /** A service of the business, or null. */
  serviceId: id.nullable(),
  customerName: customerName.nullable(),
  customerPhone: phone.nullable(),
  /** Only the business sees these. */
  notes: z.string().max(2_000, "must be at most 2000 characters").nullable(),
});

type AppointmentOptions = z.output<typeof appointmentOptions>;

/** Adds an appointment, unless the business has no such active service. */
export async function addAppointment(
  store: Store,
  businessId: string,
  options: AppointmentOptions,
  { now, random, id = newId(now, random) }: CreationContext,
): Promise<Appointment | "service_unknown"> {
  const fields = { ...options, ...storedPhone(options.customerPhone) };
  const appointment = { id, businessId, ...fields, revision: 0 };
  const { outcome } = await store.appointments.add(businessId, appointment);
  return outcome === "service_unknown" ? outcome : appointment;
}

/**
 * Changes an appointment. It may keep its service even if that is no longer active. `seen`: the revision that the change
 * was decided on; null for any. Throws `StaleError`.
 */
export async function changeAppointment(
  store: Store,
  { businessId, id }: Appointment,
  options: AppointmentOptions,
  seen: number | null,
): Promise<Appointment | "service_unknown" | "not_found"> {
  const asked = { ...options, ...storedPhone(options.customerPhone) };
  const changed = await store.appointments.change(businessId, id, asked, seen);
  return changed.outcome === "changed" ? changed.appointment : changed.outcome;
}

/** Sets the status of an appointment. Throws `OwnerError` if it does not exist. */
export async function setAppointmentStatus(
  store: Store,
  appointmentId: string,
  status: AppointmentStatus,
): Promise<Appointment> {
  const business = await businessOf(store, "appointment", appointmentId);
  const changed = await store.appointments.change(business.id, appointmentId, { status });
  if (changed.outcome !== "changed") throw noSuch("appointment");
  return changed.appointment;
}

/** Checks a customer with an appointment in, and issues them a token of today in a queue. */
export function checkIn(
  store: Pick<Store, "appointments">,
  business: Business,
  appointmentId: string,
  queueId: string,
  { now, random, id = newId(now, random) }: CreationContext,
): Promise<CheckInOutcome> {
  return store.appointments.checkIn(business.id, appointmentId, {
    id,
    queueId,
    date: businessDay(now, business.timezone),
    issuedAt: now,
  });
}
