import type { AppointmentStatus } from "@queue-api/contract";
import { type Html, html } from "../../lib/html.js";

/** The name and the color of each state, and what a message says of a change to it. */
export const statusWords: Readonly<
  Record<AppointmentStatus, { word: string; outcome: string; kind: string }>
> = {
  CONFIRMED: { outcome: "is confirmed", word: "Confirmed", kind: "" },
  CHECKED_IN: { outcome: "is here", word: "Is here", kind: "warn" },
  IN_SERVICE: { outcome: "is in service", word: "In service", kind: "warn" },
  COMPLETED: { outcome: "is completed", word: "Completed", kind: "good" },
  NO_SHOW: { outcome: "is a no-show", word: "No-show", kind: "bad" },
  CANCELLED: { outcome: "is canceled", word: "Canceled", kind: "bad" },
};

/** What a message says of an appointment that a check-in may be giving a token. */
export const isBeingCheckedIn = "is being checked in. Try again in a minute.";

/** A likely next status. */
interface NextStatus {
  readonly to: AppointmentStatus;
  readonly label: string;
}

/** The statuses that a list offers. The appointment's own page offers every status. */
export const nextStatuses: Readonly<Record<AppointmentStatus, readonly NextStatus[]>> = {
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
