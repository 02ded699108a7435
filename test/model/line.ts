import type { Entry, EntryStatus } from "@queue-api/contract";
import type { Person, Queue } from "./world.js";

/*
 * What happens to a person, and where they stand in their line: computed by hand from the document, section 3, and
 * its decisions.
 */

/** A change that somebody asked for in a round, and whether the service said that it made it. */
export interface Change {
  /** The name of a transition, `transfer` or `correct`. */
  readonly verb: string;
  readonly isMade: boolean;
  /** Whether something else than the person can refuse it, such as a closed queue. */
  readonly canFail: boolean;
  /** Where a transfer leads. */
  readonly to?: Queue;
  readonly correction?: Pick<Person, "customer" | "serviceId" | "work">;
}

/** A time that the service chose during the round. */
const sometime = "sometime";

/** The person after a change, or null if their state does not allow it. `number`: what a move gave them. */
function after(person: Person, { verb, to, correction }: Change, number: number): Person | null {
  const { status, startedAt } = person;
  const becomes = (from: readonly EntryStatus[], change: Partial<Person>): Person | null =>
    from.includes(status) ? { ...person, before: null, ...change } : null;
  const places = [...person.left, { queueId: person.queueId, number: person.tokenNumber }];
  switch (verb) {
    case "call":
    case "next":
    case "call-next":
      return becomes(["WAITING"], { status: "IN_SERVICE", startedAt: sometime });
    case "call-again":
      return becomes(["IN_SERVICE"], {});
    case "complete":
      return becomes(["IN_SERVICE"], { status: "COMPLETED", completedAt: sometime });
    case "no-show":
      return becomes(["WAITING", "IN_SERVICE"], { status: "NO_SHOW" });
    case "requeue":
      return becomes(["IN_SERVICE"], { status: "WAITING", startedAt: null });
    case "cancel":
      return becomes(["WAITING"], { status: "CANCELED", canceledAt: sometime });
    case "priority":
    case "no-priority":
      return becomes(["WAITING"], { priority: verb === "priority" });
    case "correct":
      return { ...person, before: null, ...correction };
    case "transfer": {
      if (!to || to.id === person.queueId) return null;
      const place = { queueId: to.id, tokenSeries: to.tokenSeries, tokenNumber: number };
      const token = `${to.tokenSeries}${number}`;
      const fresh = { status: "WAITING", startedAt: null, left: places, before: person } as const;
      return becomes(["WAITING", "IN_SERVICE"], { ...place, token, ...fresh });
    }
    case "undo": {
      const back = startedAt === null ? "WAITING" : "IN_SERVICE";
      if (status === "WAITING") return person.before && { ...person.before, left: places };
      if (status === "COMPLETED") return becomes([status], { status: back, completedAt: null });
      if (status === "IN_SERVICE") return becomes([status], { status: "WAITING", startedAt: null });
      return becomes([status], { status: back, canceledAt: null });
    }
    default:
      throw new Error(`what becomes of a person after ${verb} is not known`);
  }
}

const plainFields = [
  "token",
  "tokenSeries",
  "tokenNumber",
  "status",
  "priority",
  "serviceId",
] as const;
const times = ["issuedAt", "startedAt", "completedAt", "canceledAt"] as const;

/** Whether a person can be what the service shows. */
export function isShownAs(person: Person, shown: Omit<Entry, "predictedWaitMinutes">): boolean {
  return (
    plainFields.every((field) => person[field] === shown[field]) &&
    times.every((field) =>
      person[field] === sometime ? shown[field] !== null : person[field] === shown[field],
    ) &&
    person.customer.name === shown.customer.name &&
    person.customer.phone === shown.customer.phone
  );
}

/**
 * Explains what became of a person by some order of the changes: each one that was made was possible when it was made,
 * each refused one was impossible at some moment. Returns the states in that order, the last one with the times that the
 * service chose. Null if no order explains it.
 */
export function explain(
  before: Person,
  changes: readonly Change[],
  now: { readonly queueId: string; readonly entry: Entry },
): readonly Person[] | null {
  const made = changes.filter(({ isMade }) => isMade);
  const refused = changes.filter(({ isMade, canFail }) => !isMade && !canFail);
  for (const order of permutations(made)) {
    const states = [before];
    for (const change of order) {
      const next = after(states.at(-1) ?? before, change, now.entry.tokenNumber);
      if (next) states.push(next);
    }
    const last = states.at(-1) ?? before;
    const isExplained =
      states.length === made.length + 1 &&
      refused.every((change) => states.some((one) => after(one, change, 0) === null));
    if (isExplained && last.queueId === now.queueId && isShownAs(last, now.entry)) {
      const { startedAt, completedAt, canceledAt } = now.entry;
      return [...states.slice(0, -1), { ...last, startedAt, completedAt, canceledAt }];
    }
  }
  return null;
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) =>
    permutations(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]),
  );
}

/** The waiting people of a line: priority first, then by number. */
export function waitingIn(line: readonly Person[]): Person[] {
  return line
    .filter(({ status }) => status === "WAITING")
    .sort((a, b) => Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber);
}

/**
 * The predicted wait behind these people: their minutes of work, divided by the people in service, rounded up. Unknown
 * work counts as the mean of what was completed in the line on that day.
 */
export function waitBehind(ahead: readonly Person[], line: readonly Person[]): number | null {
  const serving = Math.max(1, line.filter(({ status }) => status === "IN_SERVICE").length);
  const finished = line.filter(({ status }) => status === "COMPLETED");
  const finishedMs = finished.reduce(
    (sum, { startedAt, completedAt }) =>
      sum + Date.parse(completedAt ?? "") - Date.parse(startedAt ?? ""),
    0,
  );
  const unknown = ahead.filter(({ work }) => work === null).length;
  const known = ahead.reduce((sum, { work }) => sum + (work ?? 0), 0);
  if (unknown === 0) return Math.ceil(known / serving);
  if (finished.length === 0) return null;
  // In whole numbers: a sum of fractions of minutes could round up to one minute more.
  const unit = 60_000 * finished.length;
  return Math.ceil((known * unit + unknown * finishedMs) / (unit * serving));
}

/** The rounded mean of the predicted waits of a line; null if nobody waits or any wait is unknown. */
export function averageWait(line: readonly Person[]): number | null {
  const waiting = waitingIn(line);
  const waits = waiting.map((_, place) => waitBehind(waiting.slice(0, place), line));
  if (waits.length === 0 || waits.includes(null)) return null;
  return Math.round(waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0) / waits.length);
}
