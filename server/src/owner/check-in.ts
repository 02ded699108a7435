import { businessDay } from "../rules/business-day.js";
import type { Appointment, Business } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { type IssueOnceContext, type IssueOnceOutcome, issueOnce } from "./issue-once.js";

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
  const services = serviceId === null ? [] : await store.services.list(business.id);
  const isOffered = services.some(({ id, active }) => id === serviceId && active);
  const customer = {
    ...{ queueId, customerName, customerPhone, phoneIsInternational, priority: false },
    // The token has no service if the service is no longer active.
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
