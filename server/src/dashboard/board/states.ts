import type { EntryStatus } from "@queue-api/contract";

/** The name of each entry status in the dashboard. */
export const states: Readonly<Record<EntryStatus, string>> = {
  WAITING: "Waiting",
  IN_SERVICE: "In service",
  COMPLETED: "Served",
  CANCELED: "Canceled",
  NO_SHOW: "Did not come",
};
