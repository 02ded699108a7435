import type { EntryStatus } from "@queue-api/contract";
import type { Entry } from "../../rules/records.js";

const states: Readonly<Record<EntryStatus, string>> = {
  WAITING: "Waiting",
  IN_SERVICE: "In service",
  COMPLETED: "Served",
  CANCELED: "Canceled",
  NO_SHOW: "Did not come",
};

/** The name of an entry's state in the dashboard. */
export function stateName({ status }: Entry): string {
  return states[status];
}
