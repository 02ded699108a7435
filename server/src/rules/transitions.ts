import type { EntryStatus } from "@queue-api/contract";
import type { Customer, EarlierToken, Entry, Queue } from "./records.js";
import { type CreationRefusal, refuseToken } from "./token-creation.js";

/**
 * A change of an entry. The API and the business may `cancel`; only the business makes the others. `next`
 * calls the person only if they are at position 1 of their line.
 */
export type Transition = keyof typeof starts;

/** The statuses that each transition may start from. `undo` also takes back a transfer, of an entry that waits. */
const starts = {
  cancel: ["WAITING"],
  call: ["WAITING"],
  next: ["WAITING"],
  "call-again": ["IN_SERVICE"],
  complete: ["IN_SERVICE"],
  "no-show": ["WAITING", "IN_SERVICE"],
  requeue: ["IN_SERVICE"],
  priority: ["WAITING"],
  "no-priority": ["WAITING"],
  undo: ["IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"],
} as const satisfies Record<string, readonly EntryStatus[]>;

/** The statuses that a transition may start from. */
export function startsOf(transition: Transition): readonly EntryStatus[] {
  return starts[transition];
}

/** When a transition happens, and at which counter. */
export interface TransitionContext {
  readonly now: number;
  /** Name of the counter that calls; null for none. Default: null. */
  readonly counter?: string | null;
  /**
   * The revision of the entry that the decision was based on. If the entry has another revision now, someone
   * else changed it in between, and the transition is refused. Null, the default, accepts any revision.
   */
  readonly seen?: number | null;
  /** The business day that the entry must be of. Default: null, any. */
  readonly day?: string | null;
}

/** The entry after a transition, or null if its status does not allow it, or it is not as the context says. */
export function applyTransition(
  entry: Entry,
  transition: Transition,
  { now, counter = null, seen, day = null }: TransitionContext,
): Entry | null {
  if (!isAsSeen(entry, seen) || (day !== null && entry.date !== day)) return null;
  if (transition === "undo" && entry.status === "WAITING") return transferUndone(entry);
  if (!startsOf(transition).includes(entry.status)) return null;
  // never earlier, even if the clock was set back
  const at = Math.max(now, entry.startedAt ?? entry.issuedAt);
  return changed(entry, fieldsAfter(entry, transition, at, counter));
}

/** The fields that a transition changes, with their new values. */
function fieldsAfter(
  entry: Entry,
  transition: Transition,
  at: number,
  counter: string | null,
): Partial<Entry> {
  const calls = entry.calls + 1;
  switch (transition) {
    case "call":
    case "next":
      return { status: "IN_SERVICE", startedAt: at, calls, counter };
    case "call-again":
      return { calls, calledAgainAt: at, counter: counter ?? entry.counter };
    case "complete":
      return { status: "COMPLETED", completedAt: at };
    case "cancel":
      return { status: "CANCELED", canceledAt: at };
    case "no-show":
      return { status: "NO_SHOW" };
    case "requeue":
      return { status: "WAITING", startedAt: null, counter: null };
    case "priority":
      return { priority: true };
    case "no-priority":
      return { priority: false };
    case "undo":
      return beforeLastTransition(entry);
  }
}

/**
 * The fields that undo restores: those that the last change of the status set. For a person who was called again, that
 * is the first call. The place in the line needs no field, because the token number decides it.
 */
function beforeLastTransition({ status, startedAt, calls }: Entry): Partial<Entry> {
  switch (status) {
    case "IN_SERVICE":
      return { status: "WAITING", startedAt: null, calls: Math.max(0, calls - 1), counter: null };
    case "COMPLETED":
      return { status: "IN_SERVICE", completedAt: null };
    case "NO_SHOW":
      return { status: startedAt === null ? "WAITING" : "IN_SERVICE" };
    default:
      return { status: "WAITING", canceledAt: null }; // only who waits is canceled
  }
}

/** Whether an entry has the revision that a decision was based on. */
function isAsSeen({ revision }: Entry, seen: number | null = null): boolean {
  return seen === null || revision === seen;
}

/** The result of a change: the entry after it, or why it stays as it is. */
export type TransitionOutcome =
  | { readonly outcome: "changed"; readonly entry: Entry }
  | { readonly outcome: "not_found" }
  /** The status does not allow the transition, or the revision differs from `seen`. */
  | { readonly outcome: "invalid_state"; readonly status: EntryStatus }
  /** The transition is `next`, and the entry waits at another position. */
  | { readonly outcome: "not_next" };

/** The outcome of a change. `after`: the entry after it; null if its state does not allow it. */
export function transitionOutcome({ status }: Entry, after: Entry | null): TransitionOutcome {
  return after ? { outcome: "changed", entry: after } : { outcome: "invalid_state", status };
}

/** Each change has its own revision, so that a status that recurs is not mistaken for the earlier one. */
function changed(entry: Entry, change: Partial<Entry>): Entry {
  return { ...entry, ...change, revision: entry.revision + 1 };
}

/** What staff may correct in an entry. */
export interface Correction extends Customer {
  readonly serviceId: string | null;
  /** The base time of the service. */
  readonly workMinutes: number | null;
}

/** The entry with another name, phone number or service, or null if its revision differs from `seen`. */
export function corrected(
  entry: Entry,
  correction: Correction,
  { seen }: Pick<TransitionContext, "seen"> = {},
): Entry | null {
  return isAsSeen(entry, seen) ? changed(entry, correction) : null;
}

/*
 * The transfer of a person to another queue, or back. The entry keeps its id, so that whoever holds the id goes on
 * following the person. It gets the next number of the other queue, and keeps the tokens that it left.
 */

/**
 * Why a person is not transferred to a queue. A service that was turned off since is kept. `other_day`: the entry is
 * not of today, so its number would be one of that day, which a person of today may have too.
 */
export type TransferRefusal =
  | "other_day"
  | "same_queue"
  | "transferred_too_often"
  | Exclude<CreationRefusal, "service_unknown">;

/**
 * The queue that a person is transferred to, and the last number that it gave on that day, also to people who left it, such
 * as this one.
 */
export interface TransferTarget {
  readonly queue: Queue;
  readonly lastNumber: number;
}

/** The business day on which a transfer happens, and the revision that it was decided on. */
type TransferContext = Pick<TransitionContext, "seen"> & { readonly today: string };

/** How often a person may be transferred. Far above any real use, it bounds the size of an entry. */
const maxTransfers = 100;

/** The statuses that a transfer may start from. */
export const transferStarts: readonly EntryStatus[] = ["WAITING", "IN_SERVICE"];

/** Why the person of an entry must not be transferred to a queue (null if unknown), or null if they may be. */
export function refuseTransfer(
  entry: Entry,
  target: TransferTarget | null,
  { seen, today }: TransferContext,
): TransferRefusal | "invalid_state" | null {
  if (!isAsSeen(entry, seen) || !transferStarts.includes(entry.status)) return "invalid_state";
  if (entry.date !== today) return "other_day";
  if (!target) return "queue_not_found";
  if (target.queue.id === entry.queueId) return "same_queue";
  if (entry.earlierTokens.length >= maxTransfers) return "transferred_too_often";
  return refuseToken(target.queue, target.lastNumber);
}

/** The entry after the transfer of a person whom {@link refuseTransfer} allows. */
export function transferred(entry: Entry, { queue, lastNumber }: TransferTarget): Entry {
  return changed(entry, {
    queueId: queue.id,
    tokenSeries: queue.tokenSeries,
    tokenNumber: lastNumber + 1,
    status: "WAITING",
    startedAt: null,
    calls: 0,
    counter: null,
    earlierTokens: [...entry.earlierTokens, asEarlierToken(entry, entry.revision + 1)],
  });
}

export type TransferOutcome = TransitionOutcome | { readonly outcome: TransferRefusal };

/** Transfers the person of an entry to a queue (null if unknown), unless {@link refuseTransfer} refuses it. */
export function decideTransfer(
  entry: Entry,
  target: TransferTarget | null,
  how: TransferContext,
): TransferOutcome {
  const refusal = refuseTransfer(entry, target, how);
  if (refusal === "invalid_state") return transitionOutcome(entry, null);
  if (refusal || !target) return { outcome: refusal ?? "queue_not_found" };
  return transitionOutcome(entry, transferred(entry, target));
}

/** Whether undo reverts the last transfer: the entry was not changed since. */
export function canUndoTransfer({ status, revision, earlierTokens }: Entry): boolean {
  return status === "WAITING" && earlierTokens.at(-1)?.leftAtRevision === revision;
}

/** The tokens that the person of an entry left, without those of transfers that were undone. */
export function tokensBeforeTransfers({ earlierTokens }: Entry): EarlierToken[] {
  return earlierTokens.filter(({ leftAtRevision }) => leftAtRevision !== never);
}

/** A revision that no entry has. */
const never = -1;

/**
 * The entry after its last transfer is undone, or null if it was changed since. It returns
 * to its state and number. The number that it had meanwhile stays among the earlier tokens.
 */
function transferUndone(entry: Entry): Entry | null {
  const last = entry.earlierTokens.at(-1);
  if (last?.leftAtRevision !== entry.revision) return null;
  const { leftAtRevision: _, ...token } = last;
  const earlierTokens = [...entry.earlierTokens.slice(0, -1), asEarlierToken(entry, never)];
  return changed(entry, { ...token, earlierTokens });
}

function asEarlierToken(entry: Entry, leftAtRevision: number): EarlierToken {
  const { queueId, tokenSeries, tokenNumber, status, startedAt, calls, counter } = entry;
  return { queueId, tokenSeries, tokenNumber, status, startedAt, calls, counter, leftAtRevision };
}
