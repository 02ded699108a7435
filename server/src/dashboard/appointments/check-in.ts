import type { AppointmentStatus } from "@queue-api/contract";
import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { checkIn } from "../../owner/appointment.js";
import type { Appointment, Business } from "../../rules/records.js";
import { accountRow, noteAudited } from "../accounts/audit-changes.js";
import { PageNotFound } from "../errors.js";
import type { Flash } from "../flash.js";
import type { DashboardDeps } from "../page.js";

/**
 * Checks an appointment in to a queue, and returns the outcome. Throws {@link PageNotFound} if the
 * appointment or the queue does not exist.
 */
export async function checkedIn(
  { store, random }: DashboardDeps,
  res: Response,
  business: Business,
  { id: appointmentId, slotTime }: Pick<Appointment, "id" | "slotTime">,
  queueId: string,
): Promise<Flash> {
  const now = await store.now();
  const audit = accountRow(res, `/appointments/${appointmentId}/check-in`, now, 201);
  noteAudited(res);
  const context = { now, random, audit };
  const result = await checkIn(store, business, appointmentId, queueId, context);
  const refused = (text: string): Flash => ({ kind: "kindly", text });
  switch (result.outcome) {
    case "added":
      return {
        kind: "done",
        text: `${result.token} was given for the appointment at ${slotTime}. The person is in the line.`,
        ...{ entryId: result.entryId, isPrintable: true },
      };
    case "added_before": {
      const said = refused(`${result.token} was given already, so no second token was given.`);
      return { ...said, entryId: result.entryId, isPrintable: true };
    }
    case "not_expected": {
      const { word } = statusWords[result.status];
      return refused(`The appointment was changed already: ${word}. No token was given.`);
    }
    case "other_day":
      return refused("The appointment is not today, so no token was given.");
    case "queue_unavailable":
      return refused("This queue is closed, so no token was given. Open it first.");
    case "queue_paused":
      return refused("This queue is paused, so no token was given. Resume it first.");
    case "plan_limit_reached":
      return refused("Today's limit of tokens is reached, so no token was given.");
    case "service_unknown":
      return refused("The service was turned off just now, so no token was given. Try again.");
    case "not_found":
    case "queue_not_found":
      throw new PageNotFound();
  }
}

/** The name and the colour of each state. */
export const statusWords: Readonly<Record<AppointmentStatus, { word: string; kind: string }>> = {
  CONFIRMED: { word: "Confirmed", kind: "" },
  CHECKED_IN: { word: "Is here", kind: "warn" },
  IN_SERVICE: { word: "In service", kind: "warn" },
  COMPLETED: { word: "Completed", kind: "good" },
  NO_SHOW: { word: "No-show", kind: "bad" },
  CANCELLED: { word: "Canceled", kind: "bad" },
};

/** A likely next status. */
interface Step {
  readonly to: AppointmentStatus;
  readonly label: string;
}

/** The steps that a list offers. The appointment's own page offers every status. */
export const nextSteps: Readonly<Record<AppointmentStatus, readonly Step[]>> = {
  CONFIRMED: [
    { to: "CHECKED_IN", label: "Is here" },
    { to: "NO_SHOW", label: "No-show" },
    { to: "CANCELLED", label: "Cancel" },
  ],
  CHECKED_IN: [
    { to: "IN_SERVICE", label: "Begin" },
    { to: "CANCELLED", label: "Cancel" },
  ],
  IN_SERVICE: [{ to: "COMPLETED", label: "Complete" }],
  COMPLETED: [],
  NO_SHOW: [],
  CANCELLED: [],
};

export function statusBadge(status: AppointmentStatus): Html {
  const { word, kind } = statusWords[status];
  return html`<span class="badge ${kind}">${word}</span>`;
}
