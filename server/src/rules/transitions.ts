import type { EntryStatus } from "@queue-api/contract";
import type { Entry } from "./records.js";

/** A change of an entry. The API and the business may `cancel`; only the business makes the other moves. */
export type Move = "cancel" | "call" | "call-again" | "complete" | "no-show" | "requeue" | "undo";

const moves = {
  cancel: { from: ["WAITING"], to: "CANCELED" },
  call: { from: ["WAITING"], to: "IN_SERVICE" },
  "call-again": { from: ["IN_SERVICE"], to: "IN_SERVICE" },
  complete: { from: ["IN_SERVICE"], to: "COMPLETED" },
  "no-show": { from: ["WAITING", "IN_SERVICE"], to: "NO_SHOW" },
  requeue: { from: ["IN_SERVICE"], to: "WAITING" },
} as const satisfies Record<
  Exclude<Move, "undo">,
  { from: readonly EntryStatus[]; to: EntryStatus }
>;

/** The statuses that a move may start from. */
export function startsOf(move: Move): readonly EntryStatus[] {
  return move === "undo" ? ["IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"] : moves[move].from;
}

/** When a move happens, and at which counter. */
export interface MoveContext {
  readonly now: number;
  /** Name of the counter that calls; null for none. Default: null. */
  readonly counter?: string | null;
  /**
   * The revision of the entry that the decision was based on. If the entry has another revision now, someone
   * else changed it in between, and the move is refused. Null, the default, accepts any revision.
   */
  readonly seen?: number | null;
}

/**
 * The entry after a move, or null if its status does not allow the move or its revision differs from `seen`.
 * A transfer concerns two entries, so `transferUndone` takes it back.
 */
export function moved(
  entry: Entry,
  move: Move,
  { now, counter = null, seen }: MoveContext,
): Entry | null {
  if (!isAsSeen(entry, seen) || !startsOf(move).includes(entry.status)) return null;
  if (move === "undo") {
    return entry.transferredTo === null ? changed(entry, beforeLastMove(entry)) : null;
  }
  // never earlier, even if the clock was set back
  const at = Math.max(now, entry.startedAt ?? entry.issuedAt);
  return changed(entry, {
    status: moves[move].to,
    ...(move === "call" && { startedAt: at, calls: entry.calls + 1, counter }),
    ...(move === "call-again" && { calls: entry.calls + 1, counter: counter ?? entry.counter }),
    ...(move === "complete" && { completedAt: at }),
    ...(move === "cancel" && { canceledAt: at }),
    ...(move === "requeue" && { startedAt: null, counter: null }),
  });
}

/**
 * The fields that the last move of an entry changed, with their previous values. Its place in the line
 * needs no value, because the token number decides it.
 */
export function beforeLastMove({ status, startedAt, calls }: Entry): Partial<Entry> {
  switch (status) {
    case "IN_SERVICE":
      return { status: "WAITING", startedAt: null, calls: Math.max(0, calls - 1), counter: null };
    case "COMPLETED":
      return { status: "IN_SERVICE", completedAt: null };
    case "NO_SHOW":
      return { status: startedAt === null ? "WAITING" : "IN_SERVICE" };
    default:
      return { status: startedAt === null ? "WAITING" : "IN_SERVICE", canceledAt: null };
  }
}

/** The entry with or without priority, or null if it is not waiting or its revision differs from `seen`. */
export function prioritized(
  entry: Entry,
  priority: boolean,
  { seen }: Pick<MoveContext, "seen"> = {},
): Entry | null {
  return entry.status === "WAITING" && isAsSeen(entry, seen) ? changed(entry, { priority }) : null;
}

/** Whether an entry has the revision that a decision was based on. */
export function isAsSeen({ revision }: Entry, seen: number | null = null): boolean {
  return seen === null || revision === seen;
}

/** Each change has its own revision, so that a status that recurs is not mistaken for the earlier one. */
export function changed(entry: Entry, change: Partial<Entry>): Entry {
  return { ...entry, ...change, revision: entry.revision + 1 };
}
