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
import { businessDay } from "../rules/business-day.js";
import { newId } from "../rules/ids.js";
import { storedPhone } from "../rules/phone.js";
import type { Appointment, Business } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { businessOf, noSuch } from "./business.js";
import type { CreationContext } from "./creation-context.js";
import { wholeNumber } from "./faults.js";
import { type IssueOnceContext, type IssueOnceOutcome, issueOnce } from "./issue-once.js";

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
  if (!(await isOffered(store, businessId, options.serviceId))) return "service_unknown";
  const fields = { ...options, ...storedPhone(options.customerPhone) };
  const appointment = { id, businessId, ...fields, entryId: null };
  await store.appointments.add(businessId, appointment);
  return appointment;
}

/** Changes an appointment. It may keep its service even if that is no longer active. */
export async function changeAppointment(
  store: Store,
  { businessId, id, serviceId }: Appointment,
  options: AppointmentOptions,
): Promise<Appointment | "service_unknown" | "not_found"> {
  const known =
    options.serviceId === serviceId || (await isOffered(store, businessId, options.serviceId));
  if (!known) return "service_unknown";
  const change = { ...options, ...storedPhone(options.customerPhone) };
  return (await store.appointments.change(businessId, id, change)) ?? "not_found";
}

/** Whether an appointment can have this service: none, or an active one. */
async function isOffered(
  store: Store,
  businessId: string,
  serviceId: string | null,
): Promise<boolean> {
  if (serviceId === null) return true;
  const services = await store.services.list(businessId);
  return services.some(({ id, active }) => id === serviceId && active);
}

/** Sets the status of an appointment. Throws `OwnerError` if it does not exist. */
export async function setAppointmentStatus(
  store: Store,
  appointmentId: string,
  status: AppointmentStatus,
): Promise<Appointment> {
  const business = await businessOf(store, "appointment", appointmentId);
  const appointment = await store.appointments.change(business.id, appointmentId, { status });
  if (!appointment) throw noSuch("appointment");
  return appointment;
}

export type CheckInOutcome =
  | Exclude<IssueOnceOutcome, { readonly outcome: "name_used" }>
  | { readonly outcome: "not_found" }
  /** The appointment is not today. Tokens are issued for today only. */
  | { readonly outcome: "other_day" }
  /** The appointment has a token, or a status other than `CONFIRMED` and `CHECKED_IN`. */
  | { readonly outcome: "not_expected"; readonly status: Appointment["status"] };

/**
 * Checks a customer with an appointment in, and issues them a token of today in a queue. An appointment gets at most
 * one token, even if several people check it in to different queues: the first one decides the queue.
 */
export async function checkIn(
  store: Store,
  business: Business,
  appointmentId: string,
  queueId: string,
  context: IssueOnceContext,
): Promise<CheckInOutcome> {
  const appointment = await store.appointments.get(business.id, appointmentId);
  if (!appointment) return { outcome: "not_found" };
  const { status, date, entryId, serviceId } = appointment;
  const { customerName, customerPhone, phoneIsInternational } = appointment;
  if (entryId !== null || (status !== "CONFIRMED" && status !== "CHECKED_IN")) {
    return { outcome: "not_expected", status };
  }
  if (date !== businessDay(context.now, business.timezone)) return { outcome: "other_day" };
  const customer = {
    ...{ queueId, customerName, customerPhone, phoneIsInternational, priority: false },
    // The token has no service if the service is no longer active.
    serviceId: (await isOffered(store, business.id, serviceId)) ? serviceId : null,
  };
  const once = { name: `appointment:${appointmentId}`, content: appointmentId };
  const issued = await issueOnce(store, business, customer, once, context);
  if (issued.outcome === "name_used") throw new Error("an appointment has one content");
  if (issued.outcome === "added" || issued.outcome === "added_before") {
    const here = { status: "CHECKED_IN", entryId: issued.entryId } as const;
    await store.appointments.change(business.id, appointmentId, here);
  }
  return issued;
}
