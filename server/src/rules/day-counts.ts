import type { EntryStatus } from "@queue-api/contract";
import type { Ahead, Entry, LinePace } from "./records.js";

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

/** A waiting entry in its line. */
export type WaitingEntry = Pick<
  Entry,
  "id" | "queueId" | "priority" | "tokenNumber" | "workMinutes"
>;

export function isWaiting({ status }: Pick<Entry, "status">): boolean {
  return status === "WAITING";
}

/** Orders waiting entries by when they will be called: those with priority first, then by number. */
export function inLineOrder(
  a: Pick<Entry, "priority" | "tokenNumber">,
  b: Pick<Entry, "priority" | "tokenNumber">,
): number {
  return Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber;
}

/** The part of a waiting entry that its line needs. */
export function waitingEntry({
  id,
  queueId,
  priority,
  tokenNumber,
  workMinutes,
}: Entry): WaitingEntry {
  return { id, queueId, priority, tokenNumber, workMinutes };
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
