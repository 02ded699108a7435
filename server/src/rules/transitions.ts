import type { EntryStatus } from "@queue-api/contract";
import type { Entry } from "./records.js";

/** What can be done to an entry: `cancel` through the API, the others by the business. */
export type Move = "cancel" | "call" | "complete" | "no-show";

const moves = {
  cancel: { from: "WAITING", to: "CANCELED" },
  call: { from: "WAITING", to: "IN_SERVICE" },
  complete: { from: "IN_SERVICE", to: "COMPLETED" },
  "no-show": { from: "WAITING", to: "NO_SHOW" },
} as const satisfies Record<Move, { from: EntryStatus; to: EntryStatus }>;

/** The only state that a move may start from, and the one it leads to. */
export function transition(move: Move): { from: EntryStatus; to: EntryStatus } {
  return moves[move];
}

/** The entry after a move, or null when its state does not allow it. */
export function moved(entry: Entry, move: Move, now: number): Entry | null {
  const { from, to } = moves[move];
  if (entry.status !== from) return null;
  const at = Math.max(now, entry.startedAt ?? entry.issuedAt); // a clock that went back makes no time run backwards
  return {
    ...entry,
    status: to,
    ...(move === "call" && { startedAt: at }),
    ...(move === "complete" && { completedAt: at }),
    ...(move === "cancel" && { canceledAt: at }),
  };
}

/** The entry with or without priority, or null when it does not wait any more. */
export function prioritized(entry: Entry, priority: boolean): Entry | null {
  return entry.status === "WAITING" ? { ...entry, priority } : null;
}
