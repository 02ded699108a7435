import type { EntryStatus } from "@queue-api/contract";
import type { Entry } from "./records.js";

/** What can be done to an entry: `cancel` by the API and the business, the others by the business alone. */
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

/** The states that a move may start from. */
export function startsOf(move: Move): readonly EntryStatus[] {
  return move === "undo" ? ["IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"] : moves[move].from;
}

/** When a move happens, and at which counter. */
export interface MoveContext {
  readonly now: number;
  /** Name of the counter that calls; null for none. Default: null. */
  readonly counter?: string | null;
  /**
   * The revision of the entry that the decision was made on. If the entry has another one by now, somebody else
   * acted in between, and the move is refused. Null, the default, for whatever it has.
   */
  readonly seen?: number | null;
}

/** The entry after a move, or null when its state does not allow it, or it is not as it was seen. */
export function moved(
  entry: Entry,
  move: Move,
  { now, counter = null, seen }: MoveContext,
): Entry | null {
  if (!isAsSeen(entry, seen) || !startsOf(move).includes(entry.status)) return null;
  if (move === "undo") return changed(entry, undone(entry));
  const at = Math.max(now, entry.startedAt ?? entry.issuedAt); // a clock that went back makes no time run backwards
  return changed(entry, {
    status: moves[move].to,
    ...(move === "call" && { startedAt: at, calls: entry.calls + 1, counter }),
    ...(move === "call-again" && { calls: entry.calls + 1, counter: counter ?? entry.counter }),
    ...(move === "complete" && { completedAt: at }),
    ...(move === "cancel" && { canceledAt: at }),
    ...(move === "requeue" && { startedAt: null, counter: null }),
  });
}

/** What the last step of an entry changed, as it was before that step. Its place goes by its token number. */
function undone({ status, startedAt, calls }: Entry): Partial<Entry> {
  switch (status) {
    case "IN_SERVICE":
      return { status: "WAITING", startedAt: null, calls: Math.max(0, calls - 1), counter: null };
    case "COMPLETED":
      return { status: "IN_SERVICE", completedAt: null };
    case "NO_SHOW":
      return { status: startedAt === null ? "WAITING" : "IN_SERVICE" };
    default:
      return { status: "WAITING", canceledAt: null };
  }
}

/** The entry with or without priority, or null when it does not wait any more, or is not as it was seen. */
export function prioritized(
  entry: Entry,
  priority: boolean,
  { seen }: Pick<MoveContext, "seen"> = {},
): Entry | null {
  return entry.status === "WAITING" && isAsSeen(entry, seen) ? changed(entry, { priority }) : null;
}

function isAsSeen({ revision }: Entry, seen: number | null = null): boolean {
  return seen === null || revision === seen;
}

/** Each change has a revision of its own: a state that comes back is not taken for the one before. */
function changed(entry: Entry, change: Partial<Entry>): Entry {
  return { ...entry, ...change, revision: entry.revision + 1 };
}
