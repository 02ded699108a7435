import {
  type Ahead,
  averageWait,
  behind,
  type LinePace,
  noneAhead,
  packWork,
} from "../../rules/line.js";
import type { Entry } from "../../rules/records.js";
import type { QueueDay, StatusCounts } from "../port/queues.js";

/** The waiting entries of a day, in the order in which they will be called. */
export function lineOf(day: readonly Entry[]): Entry[] {
  return day
    .filter((entry) => entry.status === "WAITING")
    .sort((a, b) => Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber);
}

/** The entries of a day that are in service, in the order in which they were called. */
export function servedOf(day: readonly Entry[]): Entry[] {
  return day
    .filter((entry) => entry.status === "IN_SERVICE")
    .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.tokenNumber - b.tokenNumber);
}

/** What is ahead of each waiting entry, by entry id. */
export function standing(day: readonly Entry[]): Map<string, Ahead> {
  const places = new Map<string, Ahead>();
  let ahead = noneAhead;
  for (const entry of lineOf(day)) {
    places.set(entry.id, ahead);
    ahead = behind(ahead, entry.workMinutes);
  }
  return places;
}

/** The counts and the average wait of a queue's day. */
export function dayOf(day: readonly Entry[]): Omit<QueueDay, "queue"> {
  const pace = paceOf(day);
  const work = packWork(lineOf(day).map((entry) => entry.workMinutes));
  return { counts: countsOf(day), pace, averageWaitMinutes: averageWait([work], pace) };
}

function countsOf(day: readonly Entry[]): StatusCounts {
  const counts = { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 };
  for (const entry of day) counts[entry.status]++;
  return counts;
}

export function paceOf(day: readonly Entry[]): LinePace {
  let inService = 0;
  let finished = 0;
  let finishedMs = 0;
  for (const { status, startedAt, completedAt } of day) {
    if (status === "IN_SERVICE") inService++;
    if (status !== "COMPLETED" || startedAt === null || completedAt === null) continue;
    finished++;
    finishedMs += completedAt - startedAt;
  }
  return { inService, finished, finishedMs };
}
