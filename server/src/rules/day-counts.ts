import type { EntryStatus } from "@queue-api/contract";
import type { Ahead, LinePace } from "./records.js";

/** The entries of a queue on one day that have the same status, priority and work, in sum. */
export interface LineGroup {
  readonly queueId: string;
  readonly status: EntryStatus;
  readonly priority: boolean;
  readonly workMinutes: number | null;
  /** See `NumberRange`. */
  readonly isBefore: boolean;
  readonly entries: number;
  /** Their total time in service in milliseconds, of those that have one. */
  readonly finishedMs: number;
}

export type StatusCounts = Readonly<Record<EntryStatus, number>>;

/** What waits before the entries that were read, for one with or without priority. */
export function aheadIn(groups: readonly LineGroup[], priority: boolean): Ahead {
  const ahead = groups.filter(
    (group) =>
      group.status === "WAITING" && (group.priority === priority ? group.isBefore : group.priority),
  );
  const known = ahead.filter(({ workMinutes }) => workMinutes !== null);
  const people = sum(ahead, ({ entries }) => entries);
  return {
    people,
    knownMinutes: sum(known, ({ entries, workMinutes }) => entries * (workMinutes ?? 0)),
    unknown: people - sum(known, ({ entries }) => entries),
  };
}

export function paceIn(groups: readonly LineGroup[]): LinePace {
  const finished = groups.filter(({ status }) => status === "COMPLETED");
  return {
    inService: statusCounts(groups).IN_SERVICE,
    finished: sum(finished, ({ entries }) => entries),
    finishedMs: sum(finished, ({ finishedMs }) => finishedMs),
  };
}

/** The number of entries with each status. */
export function statusCounts(groups: readonly LineGroup[]): StatusCounts {
  const counts = { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 };
  for (const { status, entries } of groups) counts[status] += entries;
  return counts;
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
