import { type Html, html } from "../../lib/html.js";
import type { Entry, Queue } from "../../rules/records.js";
import type { Transition } from "../../rules/transitions.js";
import { PageNotFound } from "../page-error.js";

/** The acts on an entry, with what a message says of them. */
export const entryVerbs = {
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

export type EntryVerb = keyof typeof entryVerbs;

/** The acts on a queue. */
export const queueVerbs = {
  pause: { change: { isTokenCreationPaused: true }, outcome: "takes no new tokens for now" },
  resume: { change: { isTokenCreationPaused: false }, outcome: "takes new tokens again" },
  close: { change: { isActive: false }, outcome: "is closed" },
  open: { change: { isActive: true }, outcome: "is open" },
} as const satisfies Record<string, { change: Partial<Queue>; outcome: string }>;

export type QueueVerb = keyof typeof queueVerbs;

/** The name of a button on the board. Its value is the target, a queue or an entry (see {@link asSeen}). */
export type Verb = EntryVerb | QueueVerb;

/** A button that was pressed. */
export interface Act {
  readonly verb: Verb;
  readonly id: string;
  /** The revision of the entry that the page showed; null when the button did not say. */
  readonly seen: number | null;
  /** The queue that a person is transferred to; null for any other act. */
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
  const isUnchecked = form === undefined && verb !== "transfer";
  return html`<button name="${verb}" value="${value}"${attributes}${isUnchecked && html` formnovalidate`}>${label}</button>`;
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

const wordsByVerb = new Map(Object.entries({ ...entryVerbs, ...waysIn }));

/** What a person's card says of an act in the audit log; null if the path names none. */
export function wordsOfAct(path: string): string | null {
  return wordsByVerb.get(verbOf(path)) ?? null;
}

/** Whether the act of a path added a person. */
export function isWayIn(path: string): boolean {
  return Object.hasOwn(waysIn, verbOf(path));
}

function verbOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function isQueueVerb(verb: string): verb is QueueVerb {
  return Object.hasOwn(queueVerbs, verb);
}
