import type { AppointmentStatus } from "@queue-api/contract";
import { type Html, html } from "../../lib/html.js";

/** The name and the colour of each state. */
export const statusWords: Readonly<Record<AppointmentStatus, { word: string; kind: string }>> = {
  CONFIRMED: { word: "Confirmed", kind: "" },
  CHECKED_IN: { word: "Is here", kind: "warn" },
  IN_SERVICE: { word: "Being served", kind: "warn" },
  COMPLETED: { word: "Completed", kind: "good" },
  NO_SHOW: { word: "Did not come", kind: "bad" },
  CANCELLED: { word: "Cancelled", kind: "bad" },
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
    { to: "NO_SHOW", label: "Did not come" },
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
