import { isDeepStrictEqual } from "node:util";
import type { Entry, EntryStatus, EntryWithPosition } from "@queue-api/contract";
import type { Person, Queue } from "./world.js";

/*
 * What happens to a person, and where they stand in their line: computed by hand from the document, section 3, and
 * its decisions.
 */

/** A change of a person that the service said it made. */
export interface Change {
  /** What the API or a form of the dashboard calls it. */
  readonly verb: string;
  /** Whether it was decided on the person as they were before the round. A cancellation by the API is not. */
  readonly isSeen: boolean;
  /** The queue of a transfer. */
  readonly to?: Queue | undefined;
  readonly correction?: Pick<Person, "customer" | "serviceId" | "work">;
}

/** The queue of a person who has not come yet. */
export const nowhere = "nowhere";

/** A time that the service chose during the round. */
const sometime = "sometime";

/** The statuses from which a change is possible, and what it changes. */
const changes: Readonly<Record<string, readonly [readonly EntryStatus[], Partial<Person>]>> = {
  call: [["WAITING"], { status: "IN_SERVICE", startedAt: sometime }],
  next: [["WAITING"], { status: "IN_SERVICE", startedAt: sometime }],
  "call-again": [["IN_SERVICE"], {}],
  complete: [["IN_SERVICE"], { status: "COMPLETED", completedAt: sometime }],
  "no-show": [["WAITING", "IN_SERVICE"], { status: "NO_SHOW" }],
  requeue: [["IN_SERVICE"], { status: "WAITING", startedAt: null }],
  cancel: [["WAITING"], { status: "CANCELED", canceledAt: sometime }],
  priority: [["WAITING"], { priority: true }],
  "no-priority": [["WAITING"], { priority: false }],
};

/** The person after a change, or null if their state does not allow it. `number`: what a transfer gave them. */
function after(person: Person, { verb, to, correction }: Change, number: number): Person | null {
  const { status } = person;
  if (verb === "correct") return { ...person, before: null, ...correction };
  if (verb === "undo") return undone(person);
  if (verb === "transfer") {
    if (!to || to.id === person.queueId || !["WAITING", "IN_SERVICE"].includes(status)) return null;
    const { id: queueId, tokenSeries } = to;
    const place = { queueId, tokenSeries, tokenNumber: number, token: `${tokenSeries}${number}` };
    return { ...person, ...place, status: "WAITING", startedAt: null, before: person };
  }
  const [from, change] = changes[verb] ?? [[], {}];
  return from.includes(status) ? { ...person, before: null, ...change } : null;
}

/** The person before their last change of status or queue. */
function undone(person: Person): Person | null {
  const back = { ...person, before: null, completedAt: null, canceledAt: null };
  switch (person.status) {
    case "WAITING":
      return person.before;
    case "IN_SERVICE":
      return { ...back, status: "WAITING", startedAt: null };
    default:
      return { ...back, status: person.startedAt === null ? "WAITING" : "IN_SERVICE" };
  }
}

/** Whether an entry that a response shows is this person. */
export function isShown(person: Person, shown: Entry | EntryWithPosition): boolean {
  return Object.entries(shown).every(([name, value]) => {
    if (name === "predictedWaitMinutes" || name === "position") return true;
    const expected = person[name as keyof Person];
    return expected === sometime ? value !== null : isDeepStrictEqual(expected, value);
  });
}

/** Whether a person is as a change was decided on. A correction compares what is corrected, the others compare the whole. */
function isAsSeen(person: Person, first: Person, { verb, isSeen }: Change): boolean {
  if (!isSeen || person === first) return true;
  const isSame = isDeepStrictEqual(person.customer, first.customer);
  return verb === "correct" && isSame && person.serviceId === first.serviceId;
}

/** The states of a person in every order in which these changes are possible. */
function histories(states: readonly Person[], changes: readonly Change[], number: number) {
  const [first, last] = [states[0], states.at(-1)];
  if (changes.length === 0 || !first || !last) return [states];
  return changes.flatMap((change): (readonly Person[])[] => {
    const next = isAsSeen(last, first, change) ? after(last, change, number) : null;
    const others = changes.filter((other) => other !== change);
    return next ? histories([...states, next], others, number) : [];
  });
}

/**
 * The states of a person in a round, the last one at its end; null if no order of these changes explains what became of
 * them.
 */
export function explain(
  first: Person,
  changes: readonly Change[],
  { queueId, entry }: { readonly queueId: string; readonly entry: Entry },
): readonly Person[] | null {
  const found = histories([first], changes, entry.tokenNumber).filter((states) => {
    const last = states.at(-1) ?? first;
    return last.queueId === queueId && isShown(last, entry);
  });
  const last = found[0]?.at(-1);
  if (!last) return null;
  const { startedAt, completedAt, canceledAt } = entry;
  const earlier = new Set(found.flatMap((states) => states.slice(0, -1)));
  return [...earlier, { ...last, startedAt, completedAt, canceledAt }];
}

/** Whether a person waits before another one in the same line. */
export function isAhead(one: Person, { queueId, date, priority, tokenNumber }: Person): boolean {
  const isInLine = one.queueId === queueId && one.date === date && one.status === "WAITING";
  return isInLine && (one.priority === priority ? one.tokenNumber < tokenNumber : one.priority);
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
  const waits = line
    .filter(({ status }) => status === "WAITING")
    .map((person) =>
      waitBehind(
        line.filter((one) => isAhead(one, person)),
        line,
      ),
    );
  const sum = waits.reduce((sum, wait) => (sum === null || wait === null ? null : sum + wait), 0);
  return sum === null || waits.length === 0 ? null : Math.round(sum / waits.length);
}
