import type { Entry, EntryStatus } from "@queue-api/contract";
import type { Person, Queue } from "./world.js";

/*
 * What happens to a person, and where they stand in their line: computed by hand from the document, section 3, and
 * its decisions.
 */

export type Verb =
  | "call"
  | "next"
  | "call-again"
  | "complete"
  | "no-show"
  | "requeue"
  | "cancel"
  | "priority"
  | "no-priority"
  | "undo"
  | "transfer"
  | "correct";

/** A change that somebody asked for in a round, and whether the service said that it made it. */
export interface Change {
  readonly verb: Verb;
  /** Whether it was decided on the person as they were before the round. A cancellation by the API is not. */
  readonly isSeen: boolean;
  readonly isMade: boolean;
  /** Whether something else than the person can refuse it, such as a closed queue. */
  readonly canFail: boolean;
  readonly to?: Queue;
  readonly correction?: Pick<Person, "customer" | "serviceId" | "work">;
}

/** A time that the service chose during the round. */
const sometime = "sometime";

/** The person after a change, or null if their state does not allow it. `number`: what a transfer gave them. */
function after(person: Person, { verb, to, correction }: Change, number: number): Person | null {
  const { status, startedAt } = person;
  const becomes = (from: readonly EntryStatus[], change: Partial<Person>): Person | null =>
    from.includes(status) ? { ...person, before: null, ...change } : null;
  const places = [...person.left, { queueId: person.queueId, number: person.tokenNumber }];
  switch (verb) {
    case "call":
    case "next":
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
      return becomes(["WAITING"], { priority: true });
    case "no-priority":
      return becomes(["WAITING"], { priority: false });
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
  }
}

/** Whether a person can be what the service shows. */
export function isShownAs(person: Person, shown: Omit<Entry, "predictedWaitMinutes">): boolean {
  const sameTime = (expected: string | null, time: string | null) =>
    expected === sometime ? time !== null : expected === time;
  return (
    person.token === shown.token &&
    person.tokenSeries === shown.tokenSeries &&
    person.tokenNumber === shown.tokenNumber &&
    person.status === shown.status &&
    person.priority === shown.priority &&
    person.serviceId === shown.serviceId &&
    person.customer.name === shown.customer.name &&
    person.customer.phone === shown.customer.phone &&
    sameTime(person.issuedAt, shown.issuedAt) &&
    sameTime(person.startedAt, shown.startedAt) &&
    sameTime(person.completedAt, shown.completedAt) &&
    sameTime(person.canceledAt, shown.canceledAt)
  );
}

/**
 * Explains what became of a person by orders of the changes: each one that was made was possible when it was made, each
 * refused one was impossible at some moment. Returns the states in all of these orders, the last one with the times that
 * the service chose. Null if no order explains it.
 */
export function explain(
  before: Person,
  changes: readonly Change[],
  now: { readonly queueId: string; readonly entry: Entry },
): readonly Person[] | null {
  const made = changes.filter(({ isMade }) => isMade);
  const isPossible = (person: Person, change: Change) => {
    // A correction compares what is corrected, the other acts the whole.
    const isSame =
      person.customer.name === before.customer.name &&
      person.customer.phone === before.customer.phone &&
      person.serviceId === before.serviceId;
    const isAsSeen = change.verb === "correct" ? isSame : person === before;
    return (isAsSeen || !change.isSeen) && after(person, change, 0) !== null;
  };
  const isExplained = (states: readonly Person[]) =>
    changes.every((change) => {
      const isOvertaken = change.verb === "correct" && states.length > 1;
      return (
        change.isMade ||
        change.canFail ||
        isOvertaken ||
        states.some((one) => !isPossible(one, change))
      );
    });
  const earlier = new Set<Person>();
  let end: Person | null = null;
  for (const order of permutations(made)) {
    const states = [before];
    for (const change of order) {
      const last = states.at(-1) ?? before;
      const next = isPossible(last, change) ? after(last, change, now.entry.tokenNumber) : null;
      if (next) states.push(next);
    }
    const last = states.at(-1) ?? before;
    const isComplete = states.length === made.length + 1 && isExplained(states);
    if (isComplete && last.queueId === now.queueId && isShownAs(last, now.entry)) {
      const { startedAt, completedAt, canceledAt } = now.entry;
      for (const state of states.slice(0, -1)) earlier.add(state);
      end ??= { ...last, startedAt, completedAt, canceledAt };
    }
  }
  return end && [...earlier, end];
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
  let sum = 0;
  for (let place = 0; place < waiting.length; place++) {
    const wait = waitBehind(waiting.slice(0, place), line);
    if (wait === null) return null;
    sum += wait;
  }
  return waiting.length === 0 ? null : Math.round(sum / waiting.length);
}
