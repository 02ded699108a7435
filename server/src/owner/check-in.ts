import { businessDay } from "../rules/business-day.js";
import type { Appointment, Business } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { type IssueOnceContext, type IssueOnceOutcome, issueOnce } from "./issue-once.js";

export type CheckInOutcome =
  | Exclude<IssueOnceOutcome, { readonly outcome: "name_used" }>
  | { readonly outcome: "not_found" }
  /** Tokens are of today, and so must the appointment be. */
  | { readonly outcome: "other_day" }
  /** Only somebody who is expected, or is here without a token, is given one. */
  | { readonly outcome: "not_expected"; readonly status: Appointment["status"] };

/**
 * Notes that somebody with an appointment is here, and gives them a token of today in a queue. An appointment
 * leads to one token, whoever checks it in and wherever: the first queue that was chosen counts.
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
  const { status, date, entryId, serviceId, customerName, customerPhone } = appointment;
  if (entryId !== null || (status !== "CONFIRMED" && status !== "CHECKED_IN")) {
    return { outcome: "not_expected", status };
  }
  if (date !== businessDay(context.now, business.timezone)) return { outcome: "other_day" };
  const services = serviceId === null ? [] : await store.services.list(business.id);
  const isOffered = services.some(({ id, active }) => id === serviceId && active);
  const customer = {
    ...{ queueId, customerName, customerPhone, priority: false },
    // The service may have been turned off since the appointment was made; the person has come.
    serviceId: isOffered ? serviceId : null,
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
