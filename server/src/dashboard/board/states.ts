import type { EntryStatus } from "@queue-api/contract";

/** What each state of an entry is called at the desk. */
export const states: Readonly<Record<EntryStatus, string>> = {
  WAITING: "Waiting",
  IN_SERVICE: "In service",
  COMPLETED: "Served",
  CANCELED: "Canceled",
  NO_SHOW: "Did not come",
};
