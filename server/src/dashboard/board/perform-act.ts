import type { EntryStatus } from "@queue-api/contract";
import { businessDay } from "../../rules/business-day.js";
import type { Entry } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { startsOf, type TransferOutcome, transferStarts } from "../../rules/transitions.js";
import type { Flash } from "../flash.js";
import { PageNotFound } from "../page-error.js";
import type { Visit } from "../visit.js";
import {
  type Act,
  type EntryVerb,
  entryVerbs,
  isQueueVerb,
  type QueueVerb,
  queueVerbs,
  undoOf,
} from "./acts.js";
import { counterOf } from "./counter.js";

/** The outcome of an act. */
export interface ActResult {
  readonly flash: Flash;
  /** The queue that the act concerned. */
  readonly queueId: string;
  /** The day of the entry; absent for an act on a queue. */
  readonly date?: string;
}

/**
 * Performs an act and returns its outcome. An act that another person performed in the meantime is not
 * repeated. Throws {@link PageNotFound} if the target does not belong to the business.
 */
export function perform(visit: Visit, act: Act): Promise<ActResult> {
  const { verb, id } = act;
  visit.audit?.setPath(`/board/${isQueueVerb(verb) ? "queues" : "people"}/${id}/${verb}`);
  return isQueueVerb(verb) ? performOnQueue(visit, verb, id) : performOnEntry(visit, verb, act);
}

async function performOnQueue(
  { store, business }: Visit,
  verb: QueueVerb,
  queueId: string,
): Promise<ActResult> {
  const { change, outcome } = queueVerbs[verb];
  const queue = await store.queues.change(business.id, queueId, change);
  if (!queue) throw new PageNotFound();
  const isStillPaused = verb === "open" && queue.isTokenCreationPaused;
  const text = `${queue.name} ${outcome}.${isStillPaused ? " It is still paused." : ""}`;
  return { flash: { kind: "done", text }, queueId };
}

async function performOnEntry(
  { res, store, business }: Visit,
  verb: EntryVerb,
  { id, seen, to }: Act,
): Promise<ActResult> {
  const now = store.now();
  const day = ofToday.has(verb) ? businessDay(now, business.timezone) : null;
  const result =
    verb === "transfer"
      ? await store.entries.transfer(business.id, id, to ?? "", { seen })
      : await store.entries.transition(business.id, id, verb, now, {
          counter: counterOf(res),
          seen,
          day,
        });
  if (result.outcome === "changed") return resultOf(verb, result.entry);
  const found = await store.entries.get(business.id, id);
  if (!found || result.outcome === "queue_not_found") throw new PageNotFound();
  const { entry } = found;
  const { queueId, date } = entry;
  const outcome = day !== null && date !== day ? "other_day" : result.outcome;
  return { flash: { kind: "warning", text: whyNot(verb, entry, outcome) }, queueId, date };
}

/** The acts on people of today only. A page that was opened before midnight still has their buttons. */
const ofToday: ReadonlySet<EntryVerb> = new Set([
  "next",
  "call",
  "call-again",
  "requeue",
  "priority",
  "no-priority",
]);

/** The acts that a message offers to undo. */
const undoable = new Set<EntryVerb>(["next", "call", "complete", "no-show", "cancel", "transfer"]);

/** The result of an act that changed an entry. */
function resultOf(verb: EntryVerb, entry: Entry): ActResult {
  const left = verb === "transfer" ? entry.earlierTokens.at(-1) : undefined;
  const text = left
    ? `${tokenLabel(left)} was moved and is ${tokenLabel(entry)} now.`
    : whatHappened(verb, entry);
  const undo = undoable.has(verb) ? { undo: undoOf(entry) } : {};
  const printable = left ? ({ isPrintable: true } as const) : {};
  const { queueId } = left ?? entry;
  const flash = { kind: "done", text, entryId: entry.id, ...undo, ...printable } as const;
  return { flash, queueId, date: entry.date };
}

function whatHappened(verb: EntryVerb, entry: Entry): string {
  const token = tokenLabel(entry);
  if (verb === "undo") return `${token} ${backIn[entry.status]} again.`;
  const isCall = verb === "next" || verb === "call" || verb === "call-again";
  const where = isCall && entry.counter !== null ? `, ${entry.counter}` : "";
  return `${token} ${entryVerbs[verb]}${where}.`;
}

/** Why a queue gives no token. */
export const whyNoToken = {
  queue_unavailable: "The queue is closed. Open it first.",
  queue_paused: "The queue is paused. Resume it first.",
  plan_limit_reached: "Today's limit of tokens is reached.",
  service_unknown: "This service is no longer offered. Choose another.",
} as const;

type NotDone = Exclude<TransferOutcome["outcome"], "changed" | "queue_not_found">;

function whyNot(verb: EntryVerb, entry: Entry, outcome: NotDone): string {
  const token = tokenLabel(entry);
  switch (outcome) {
    case "not_next":
      return `${token} is no longer next, so nobody was called. The board shows who is.`;
    case "other_day":
      return `${token} is not of today, so nothing was changed. Add the person as a walk-in instead.`;
    case "same_queue":
      return `${token} is in this queue already. Nothing was changed.`;
    case "transferred_too_often":
      return `${token} was moved as often as it can be. Add the person as a walk-in instead.`;
    case "queue_unavailable":
    case "queue_paused":
    case "plan_limit_reached":
      return `${token} was not moved. ${whyNoToken[outcome]}`;
    case "not_found":
    case "invalid_state":
      break;
  }
  const starts = verb === "transfer" ? transferStarts : startsOf(verb);
  if (verb === "undo" || starts.includes(entry.status)) {
    return `${token} was changed by another person. Nothing was done; the board shows the current state.`;
  }
  return `${token} ${alreadyIn[entry.status]} Nothing was changed.`;
}

/** The message after an undo, by the restored status. */
const backIn: Readonly<Record<EntryStatus, string>> = {
  WAITING: "waits in the same place",
  IN_SERVICE: "is in service",
  COMPLETED: "is completed",
  CANCELED: "is canceled",
  NO_SHOW: "is a no-show",
};

const alreadyIn: Readonly<Record<EntryStatus, string>> = {
  WAITING: "is waiting.",
  IN_SERVICE: "was called already.",
  COMPLETED: "is completed already.",
  CANCELED: "was canceled already.",
  NO_SHOW: "is a no-show already.",
};
