import { type Ahead, behind, type LinePace, noneAhead, waitsOf } from "../../rules/line.js";
import type { Entry, Queue } from "../../rules/records.js";
import type { EntryInLine } from "../../rules/resources.js";
import type { QueueDay } from "../port/business.js";

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

/** Entries with their places in the line of their day. */
export function inLine(entries: readonly Entry[], day: readonly Entry[]): EntryInLine[] {
  const places = new Map<string, Ahead>();
  let ahead = noneAhead;
  for (const entry of lineOf(day)) {
    places.set(entry.id, ahead);
    ahead = behind(ahead, entry.workMinutes);
  }
  const pace = paceOf(day);
  return entries.map((entry) => {
    const found = places.get(entry.id);
    return { entry, line: found ? { ahead: found, pace } : null };
  });
}

/** An entry with its place in the line of its day. */
export function place(entry: Entry, day: readonly Entry[]): EntryInLine {
  return inLine([entry], day)[0] ?? { entry, line: null };
}

/** A queue with the counts and the average wait of its day. */
export function queueDay(queue: Queue, day: readonly Entry[]): QueueDay {
  const counts = { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 };
  for (const { status } of day) counts[status]++;
  const pace = paceOf(day);
  const works = lineOf(day).map(({ workMinutes }) => workMinutes);
  return { queue, counts, pace, ...waitsOf(works, pace) };
}

function paceOf(day: readonly Entry[]): LinePace {
  const durations = day.flatMap(({ status, startedAt, completedAt }) => {
    const isTimed = status === "COMPLETED" && startedAt !== null && completedAt !== null;
    return isTimed ? completedAt - startedAt : [];
  });
  const finishedMs = durations.reduce((sum, duration) => sum + duration, 0);
  return { inService: servedOf(day).length, finished: durations.length, finishedMs };
}
