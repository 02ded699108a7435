import type { AppointmentStatus } from "@queue-api/contract";
import type { Appointment } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { noSuch } from "./business.js";

/** Sets the state of an appointment. Throws `OwnerError` when there is no such appointment. */
export async function setAppointmentStatus(
  store: Store,
  appointmentId: string,
  status: AppointmentStatus,
): Promise<Appointment> {
  const businessId = await store.businessIdOf("appointment", appointmentId);
  const appointment =
    businessId === null
      ? null
      : await store.changeAppointment(businessId, appointmentId, { status });
  if (!appointment) throw noSuch("appointment");
  return appointment;
}
