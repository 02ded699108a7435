import type { EntryStatus } from "@queue-api/contract";
import type { Business, Entry } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import type { Move } from "../../rules/transitions.js";
import type { MoveOutcome } from "../../store/port/entries.js";
import type { QueueChange } from "../../store/port/queues.js";
import type { Store } from "../../store/store.js";
import { PageNotFound } from "../errors.js";
import type { Flash } from "../flash.js";

/** What can be done to somebody in a queue. `next` calls them only if it is their turn. */
const entryVerbs = {
  next: "was called",
  call: "was called",
  complete: "is done",
  "no-show": "did not show up",
  cancel: "was canceled",
  priority: "has priority now",
  "no-priority": "has no priority any more",
} as const;

type EntryVerb = keyof typeof entryVerbs;

/** What can be done to a queue. */
const queueVerbs = {
  pause: { change: { isTokenCreationPaused: true }, said: "takes no new tokens for now" },
  resume: { change: { isTokenCreationPaused: false }, said: "takes new tokens again" },
  close: { change: { isActive: false }, said: "is closed" },
  open: { change: { isActive: true }, said: "is open" },
} as const satisfies Record<string, { change: QueueChange; said: string }>;

type QueueVerb = keyof typeof queueVerbs;

/** The name of a button on the board; its value is the id of whom, or of which queue, it is about. */
export type Verb = EntryVerb | QueueVerb;

/** A button that was pressed. */
export interface Act {
  readonly verb: Verb;
  readonly id: string;
}

/** The button that a posted form was sent with. Throws {@link PageNotFound} when there was none. */
export function actIn(body: unknown): Act {
  for (const [verb, id] of Object.entries(body ?? {})) {
    if ((isEntryVerb(verb) || isQueueVerb(verb)) && typeof id === "string") return { verb, id };
  }
  throw new PageNotFound();
}

function isEntryVerb(verb: string): verb is EntryVerb {
  return Object.hasOwn(entryVerbs, verb);
}

function isQueueVerb(verb: string): verb is QueueVerb {
  return Object.hasOwn(queueVerbs, verb);
}

/** What came of an act. */
export interface Done {
  readonly said: Flash;
  /** The queue that it was about. */
  readonly queueId: string;
}

/**
 * Does what a button says, and tells what came of it. What somebody else has done meanwhile is not done
 * again. Throws {@link PageNotFound} for what is not the business's own.
 */
export async function perform(
  store: Store,
  { id: businessId }: Business,
  { verb, id }: Act,
): Promise<Done> {
  if (isQueueVerb(verb)) {
    const { change, said } = queueVerbs[verb];
    const queue = await store.queues.change(businessId, id, change);
    if (!queue) throw new PageNotFound();
    return { said: { kind: "done", text: `${queue.name} ${said}.` }, queueId: id };
  }
  const result = await doToEntry(store, businessId, verb, id);
  if (result.outcome === "moved") {
    const { entry } = result;
    return {
      said: { kind: "done", text: `${labelOf(entry)} ${entryVerbs[verb]}.` },
      queueId: entry.queueId,
    };
  }
  const found = await store.entries.get(businessId, id);
  if (!found) throw new PageNotFound();
  const { entry } = found;
  const text =
    result.outcome === "not_next"
      ? `${labelOf(entry)} is not next any more, so nobody was called. The board shows who is.`
      : `${labelOf(entry)} ${alreadyIn[entry.status]} Nothing was changed.`;
  return { said: { kind: "kindly", text }, queueId: entry.queueId };
}

async function doToEntry(
  store: Store,
  businessId: string,
  verb: EntryVerb,
  id: string,
): Promise<MoveOutcome | { readonly outcome: "not_next" }> {
  const now = await store.now();
  switch (verb) {
    case "priority":
    case "no-priority":
      return store.entries.setPriority(businessId, id, verb === "priority");
    case "next":
      return store.entries.callIfNext(businessId, id, now);
    default:
      return store.entries.move(businessId, id, verb satisfies Move, now, null);
  }
}

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
