import type { EntryStatus } from "@queue-api/contract";
import type { AuditRow, Business, Entry } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { type Move, startsOf } from "../../rules/transitions.js";
import type { ChangeOptions, MoveOutcome } from "../../store/port/entries.js";
import type { QueueChange } from "../../store/port/queues.js";
import type { Store } from "../../store/store.js";
import { PageNotFound } from "../errors.js";
import type { Flash } from "../flash.js";

/** The acts on an entry. `next` calls the person only if it is their turn. */
const entryVerbs = {
  next: "was called",
  call: "was called",
  "call-again": "was called again",
  complete: "is done",
  "no-show": "did not come",
  requeue: "is back in the line",
  cancel: "was canceled",
  undo: "is as before",
  priority: "has priority now",
  "no-priority": "has no priority any more",
} as const;

type EntryVerb = keyof typeof entryVerbs;

/** The acts that a message offers to undo. */
const takenBack: readonly EntryVerb[] = ["next", "call", "complete", "no-show", "cancel"];

/** The acts on a queue. */
const queueVerbs = {
  pause: { change: { isTokenCreationPaused: true }, said: "takes no new tokens for now" },
  resume: { change: { isTokenCreationPaused: false }, said: "takes new tokens again" },
  close: { change: { isActive: false }, said: "is closed" },
  open: { change: { isActive: true }, said: "is open" },
} as const satisfies Record<string, { change: QueueChange; said: string }>;

type QueueVerb = keyof typeof queueVerbs;

/** The name of a button on the board. Its value is the target, a queue or an entry (see {@link asSeen}). */
export type Verb = EntryVerb | QueueVerb;

/** A button that was pressed. */
export interface Act {
  readonly verb: Verb;
  readonly id: string;
  /** The revision of the entry that the page showed; null when the button did not say. */
  readonly seen: number | null;
}

/** The button value for an entry as shown. The act does nothing if the entry has changed since. */
export function asSeen({ id, revision }: Pick<Entry, "id" | "revision">): string {
  return `${id}.${revision}`;
}

/** The button that submitted a form. Throws {@link PageNotFound} if there is none. */
export function actIn(body: unknown): Act {
  for (const [verb, value] of Object.entries(body ?? {})) {
    if (!isEntryVerb(verb) && !isQueueVerb(verb)) continue;
    const [, id, revision] = /^([A-Za-z0-9]+)(?:\.(\d{1,9}))?$/.exec(String(value)) ?? [];
    if (id === undefined || (verb === "undo" && revision === undefined)) continue;
    return { verb, id, seen: revision === undefined ? null : Number(revision) };
  }
  throw new PageNotFound();
}

function isEntryVerb(verb: string): verb is EntryVerb {
  return Object.hasOwn(entryVerbs, verb);
}

function isQueueVerb(verb: string): verb is QueueVerb {
  return Object.hasOwn(queueVerbs, verb);
}

/** The origin of an act. */
export interface ActContext {
  /** The counter of the browser; null for none. */
  readonly counter: string | null;
  /** Makes the audit row of the act, for a path below the dashboard. It is stored with the act. */
  readonly auditRow: (path: string, at: number) => AuditRow;
}

/** The outcome of an act. */
export interface Done {
  readonly said: Flash;
  /** The queue that the act concerned. */
  readonly queueId: string;
}

/**
 * Performs an act and returns its outcome. An act that another person performed in the meantime is not
 * repeated. Throws {@link PageNotFound} if the target does not belong to the business.
 */
export async function perform(
  store: Store,
  { id: businessId }: Business,
  { verb, id, seen }: Act,
  { counter, auditRow }: ActContext,
): Promise<Done> {
  const now = await store.now();
  if (isQueueVerb(verb)) {
    const { change, said } = queueVerbs[verb];
    const queue = await store.queues.change(businessId, id, change);
    if (!queue) throw new PageNotFound();
    await store.audit.append([auditRow(`/board/queues/${id}/${verb}`, now)]);
    return { said: { kind: "done", text: `${queue.name} ${said}.` }, queueId: id };
  }
  const audit = auditRow(`/board/people/${id}/${verb}`, now);
  const result = await doToEntry(store, businessId, verb, id, now, { seen, counter, audit });
  if (result.outcome === "moved") {
    const { entry } = result;
    const undo = takenBack.includes(verb) ? { undo: asSeen(entry) } : {};
    return {
      said: { kind: "done", text: whatHappened(verb, entry), ...undo },
      queueId: entry.queueId,
    };
  }
  const found = await store.entries.get(businessId, id);
  if (!found) throw new PageNotFound();
  const { entry } = found;
  return {
    said: { kind: "kindly", text: whyNot(verb, entry, result.outcome) },
    queueId: entry.queueId,
  };
}

async function doToEntry(
  store: Store,
  businessId: string,
  verb: EntryVerb,
  id: string,
  now: number,
  options: ChangeOptions,
): Promise<MoveOutcome | { readonly outcome: "not_next" }> {
  switch (verb) {
    case "priority":
    case "no-priority":
      return store.entries.setPriority(businessId, id, verb === "priority", options);
    case "next":
      return store.entries.callIfNext(businessId, id, now, options);
    default:
      return store.entries.move(businessId, id, verb satisfies Move, now, options);
  }
}

function whatHappened(verb: EntryVerb, entry: Entry): string {
  const token = labelOf(entry);
  if (verb === "undo") return `${token} ${backIn[entry.status]} again.`;
  const isCall = verb === "next" || verb === "call" || verb === "call-again";
  const where = isCall && entry.counter !== null ? `, ${entry.counter}` : "";
  return `${token} ${entryVerbs[verb]}${where}.`;
}

function whyNot(
  verb: EntryVerb,
  entry: Entry,
  outcome: Exclude<MoveOutcome["outcome"], "moved"> | "not_next",
): string {
  const token = labelOf(entry);
  if (outcome === "not_next") {
    return `${token} is not next any more, so nobody was called. The board shows who is.`;
  }
  if (startsFrom(verb).includes(entry.status)) {
    return `${token} was changed by another person in the meantime. Nothing was done; the board shows the current state.`;
  }
  return `${token} ${alreadyIn[entry.status]} Nothing was changed.`;
}

function startsFrom(verb: EntryVerb): readonly EntryStatus[] {
  if (verb === "priority" || verb === "no-priority") return ["WAITING"];
  return startsOf(verb === "next" ? "call" : verb);
}

/** The message after an undo, by the restored status. */
const backIn: Readonly<Record<EntryStatus, string>> = {
  WAITING: "waits in the same place",
  IN_SERVICE: "is in service",
  COMPLETED: "is done",
  CANCELED: "is canceled",
  NO_SHOW: "is a no-show",
};

const alreadyIn: Readonly<Record<EntryStatus, string>> = {
  WAITING: "is waiting and was not called yet.",
  IN_SERVICE: "was called already.",
  COMPLETED: "is done already.",
  CANCELED: "was canceled already.",
  NO_SHOW: "is noted as a no-show already.",
};

function labelOf({ tokenSeries, tokenNumber }: Entry): string {
  return tokenLabel(tokenSeries, tokenNumber);
}
