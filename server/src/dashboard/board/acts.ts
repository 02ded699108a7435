import type { EntryStatus } from "@queue-api/contract";
import { type Html, html } from "../../lib/html.js";
import type { Entry, Queue } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import {
  startsOf,
  type TransferOutcome,
  type Transition,
  transferStarts,
} from "../../rules/transitions.js";
import type { Flash } from "../flash.js";
import { PageNotFound } from "../page-error.js";
import type { Visit } from "../visit.js";
import { counterOf } from "./counter.js";

/** The acts on an entry, with what a message says of them. */
const entryVerbs = {
  next: "was called",
  call: "was called",
  "call-again": "was called again",
  complete: "is completed",
  "no-show": "is a no-show",
  requeue: "is back in the line",
  cancel: "was canceled",
  undo: "is as it was before the last change",
  transfer: "was moved",
  priority: "has priority now",
  "no-priority": "no longer has priority",
} as const satisfies Record<Transition | "transfer", string>;

/** What the audit log calls the ways in which the dashboard adds a person. */
const waysIn = { "walk-in": "was added", "check-in": "was added from an appointment" } as const;

type EntryVerb = keyof typeof entryVerbs;

/** The acts that a message offers to undo. */
const undoable = new Set<EntryVerb>(["next", "call", "complete", "no-show", "cancel", "transfer"]);

/** The acts on a queue. */
const queueVerbs = {
  pause: { change: { isTokenCreationPaused: true }, outcome: "takes no new tokens for now" },
  resume: { change: { isTokenCreationPaused: false }, outcome: "takes new tokens again" },
  close: { change: { isActive: false }, outcome: "is closed" },
  open: { change: { isActive: true }, outcome: "is open" },
} as const satisfies Record<string, { change: Partial<Queue>; outcome: string }>;

type QueueVerb = keyof typeof queueVerbs;

/** The name of a button on the board. Its value is the target, a queue or an entry (see {@link asSeen}). */
export type Verb = EntryVerb | QueueVerb;

/** A button that was pressed. */
export interface Act {
  readonly verb: Verb;
  readonly id: string;
  /** The revision of the entry that the page showed; null when the button did not say. */
  readonly seen: number | null;
  /** The queue that a person is moved to; null for any other act. */
  readonly to: string | null;
}

/** The button value for an entry as shown. The act does nothing if the entry has changed since. */
export function asSeen({ id, revision }: Pick<Entry, "id" | "revision">): string {
  return `${id}.${revision}`;
}

/** The look of a button, and its properties beyond the label. */
interface ActLook {
  /** The person or the queue that it acts on, for screen readers, which read a button without its context. */
  readonly of?: string;
  readonly kind?: "quiet" | "primary" | "danger";
  /** The id of the form that it submits. Default: the form around it. */
  readonly form?: string;
}

/** A button whose name is the act and whose value is its target: a queue, or an entry at a revision. */
export function actButton(
  verb: Verb,
  target: string | Pick<Entry, "id" | "revision">,
  label: string,
  { of, kind, form }: ActLook = {},
): Html {
  const [id, value] = typeof target === "string" ? [target, target] : [target.id, asSeen(target)];
  const place =
    form === undefined ? html` id="card-${verb}"` : html` id="${verb}-${id}" form="${form}"`;
  const attributes = html`${place}${
    kind !== undefined && html` class="${kind}"`
  }${of !== undefined && html` aria-label="${label} ${of}"`}`;
  return html`<button name="${verb}" value="${value}"${attributes}>${label}</button>`;
}

/** The undo of the last change of an entry, for a message. That of its creation, `cancel`, cancels it. */
export function undoOf(entry: Entry, name: "undo" | "cancel" = "undo") {
  return { to: "/board", name, value: asSeen(entry) };
}

/** The button that submitted a form. Throws {@link PageNotFound} if there is none. */
export function actIn(body: unknown): Act {
  for (const [verb, value] of Object.entries(body ?? {})) {
    if (!isEntryVerb(verb) && !isQueueVerb(verb)) continue;
    const [, id, revision] = /^([A-Za-z0-9]+)(?:\.(\d{1,9}))?$/.exec(String(value)) ?? [];
    if (id === undefined || (verb === "undo" && revision === undefined)) continue;
    const to = verb === "transfer" ? String((body as { to?: unknown }).to ?? "") : null;
    return { verb, id, seen: revision === undefined ? null : Number(revision), to };
  }
  throw new PageNotFound();
}

function isEntryVerb(verb: string): verb is EntryVerb {
  return Object.hasOwn(entryVerbs, verb);
}

/** What a person's card says of an act in the audit log; null if the path names none. */
export function wordsOfAct(path: string): string | null {
  const verb = verbOf(path);
  if (isEntryVerb(verb)) return entryVerbs[verb];
  return isWayIn(path) ? waysIn[verb as keyof typeof waysIn] : null;
}

/** Whether the act of a path added a person. */
export function isWayIn(path: string): boolean {
  return Object.hasOwn(waysIn, verbOf(path));
}

function verbOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function isQueueVerb(verb: string): verb is QueueVerb {
  return Object.hasOwn(queueVerbs, verb);
}

/** The outcome of an act. */
export interface ActResult {
  readonly flash: Flash;
  /** The queue that the act concerned. */
  readonly queueId: string;
}

/**
 * Performs an act and returns its outcome. An act that another person performed in the meantime is not
 * repeated. Throws {@link PageNotFound} if the target does not belong to the business.
 */
export async function perform(visit: Visit, { verb, id, seen, to }: Act): Promise<ActResult> {
  const { res, store, audit } = visit;
  const businessId = visit.business.id;
  const now = await store.now();
  audit?.name(`/board/${isQueueVerb(verb) ? "queues" : "people"}/${id}/${verb}`);
  if (isQueueVerb(verb)) {
    const { change, outcome } = queueVerbs[verb];
    const queue = await store.queues.change(businessId, id, change);
    if (!queue) throw new PageNotFound();
    return { flash: { kind: "done", text: `${queue.name} ${outcome}.` }, queueId: id };
  }
  const result =
    verb === "transfer"
      ? await store.entries.transfer(businessId, id, to ?? "", { seen })
      : await store.entries.transition(businessId, id, verb, now, {
          counter: counterOf(res),
          seen,
        });
  if (result.outcome === "changed") {
    const { entry } = result;
    const left = verb === "transfer" ? entry.earlierPlaces.at(-1) : undefined;
    const text = left
      ? `${tokenLabel(left)} was moved and is ${tokenLabel(entry)} now.`
      : whatHappened(verb, entry);
    const undo = undoable.has(verb) ? { undo: undoOf(entry) } : {};
    const printable = left ? ({ isPrintable: true } as const) : {};
    const { queueId } = left ?? entry;
    return { flash: { kind: "done", text, entryId: entry.id, ...undo, ...printable }, queueId };
  }
  const found = await store.entries.get(businessId, id);
  if (!found || result.outcome === "queue_not_found") throw new PageNotFound();
  const { entry } = found;
  return {
    flash: { kind: "warning", text: whyNot(verb, entry, result.outcome) },
    queueId: entry.queueId,
  };
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
    case "same_queue":
      return `${token} is in this queue already. Nothing was changed.`;
    case "queue_unavailable":
    case "queue_paused":
    case "plan_limit_reached":
      return `${token} was not moved. ${whyNoToken[outcome]}`;
    case "not_found":
    case "invalid_state":
      break;
  }
  if (startsFrom(verb).includes(entry.status)) {
    return `${token} was changed by another person. Nothing was done; the board shows the current state.`;
  }
  return `${token} ${alreadyIn[entry.status]} Nothing was changed.`;
}

function startsFrom(verb: EntryVerb): readonly EntryStatus[] {
  return verb === "transfer" ? transferStarts : startsOf(verb);
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
  WAITING: "is waiting and was not called yet.",
  IN_SERVICE: "was called already.",
  COMPLETED: "is completed already.",
  CANCELED: "was canceled already.",
  NO_SHOW: "is a no-show already.",
};
