import type { EntryStatus } from "@queue-api/contract";
import { type IssueFacts, type IssueRefusal, newEntry, refuseIssue } from "./issue.js";
import type { Entry, Queue } from "./records.js";
import { beforeLastMove, changed, isAsSeen, type MoveContext } from "./transitions.js";

/*
 * Moving a person to another queue, or back. The old entry ends as CANCELED, because that queue did not serve
 * the person: COMPLETED would add to the mean time of a service, and NO_SHOW would count a person who did come. The
 * person gets a new token, and each of the two entries names the other.
 */

/** Both entries of a person who was moved: the one in the queue that was left, and the new one. */
export interface Transfer {
  readonly left: Entry;
  readonly joined: Entry;
}

/** A request to move a person to another queue. */
export interface TransferRequest {
  /** Id of the new entry. */
  readonly id: string;
  readonly queueId: string;
  /** The new token counts as created, as every token does. */
  readonly dailyTokenLimit: number | null;
}

/** Why a person is not moved to a queue. A service that was turned off since is kept. */
export type TransferRefusal = "same_queue" | Exclude<IssueRefusal, "service_unknown">;

/** The statuses that a person may be moved from. */
export const transferStarts: readonly EntryStatus[] = ["WAITING", "IN_SERVICE"];

/** Why the person of an entry must not be moved to a queue, or null if they may be. */
export function refuseTransfer(
  entry: Entry,
  { queue, createdToday, dailyTokenLimit }: Omit<IssueFacts, "service">,
  { seen }: Pick<MoveContext, "seen">,
): TransferRefusal | "invalid_state" | null {
  if (!isAsSeen(entry, seen) || !transferStarts.includes(entry.status)) return "invalid_state";
  if (queue?.id === entry.queueId) return "same_queue";
  const facts = { queue, createdToday, dailyTokenLimit, service: null };
  return refuseIssue(false, facts) as TransferRefusal | null;
}

/** Both entries after the move of a person whom {@link refuseTransfer} lets go. */
export function transferred(
  entry: Entry,
  { id, queue, tokenNumber }: { id: string; queue: Queue; tokenNumber: number },
  now: number,
): Transfer {
  const { date, serviceId, workMinutes, customerName, customerPhone, priority } = entry;
  const at = Math.max(now, entry.startedAt ?? entry.issuedAt);
  const request = {
    ...{ id, queueId: queue.id, date, dailyTokenLimit: null, issuedAt: at },
    ...{ serviceId, customerName, customerPhone, priority },
  };
  const joined = newEntry(request, { queue, service: null, tokenNumber });
  return {
    left: changed(entry, { status: "CANCELED", canceledAt: at, transferredTo: id }),
    joined: { ...joined, workMinutes, transferredFrom: entry.id },
  };
}

/**
 * Both entries after a move of a person is taken back, or null if the new entry was changed since, or the old
 * one differs from `seen`. The old entry returns to its state and place. The new one ends, and names the old
 * one, so that only one of them can be active.
 */
export function transferUndone(
  { left, joined }: Transfer,
  { now, seen }: Pick<MoveContext, "now" | "seen">,
): Transfer | null {
  const isUntouched = joined.revision === 0 && joined.transferredFrom === left.id;
  if (!isAsSeen(left, seen) || left.transferredTo !== joined.id || !isUntouched) return null;
  const canceledAt = Math.max(now, joined.issuedAt);
  return {
    left: changed(left, { ...beforeLastMove(left), transferredTo: null }),
    joined: changed(joined, { status: "CANCELED", canceledAt, transferredTo: left.id }),
  };
}
