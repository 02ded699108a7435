import type { Created, Listed, Operation } from "./history.js";

export interface ModelOptions {
  /**
   * Whether a position can count pending creations. This happens where the number is given in one step and the entry
   * is stored in the next. A creation or cancellation that fails may be counted until the queue has answered again,
   * also by the calls that were under way then. Default: a position counts exactly the waiting entries.
   */
  readonly countsPending?: boolean;
}

/** An operation in the search. */
interface Placed {
  readonly operation: Operation;
  /** Its index, and its random mark for hashing sets of operations. */
  readonly at: number;
}

/** The state of the model's queue. */
interface QueueState {
  readonly entries: ReadonlyMap<string, Listed>;
  readonly keys: ReadonlyMap<string, Created>;
  /** The entries called by calls without a result. The rest of the state follows from the set of operations. */
  readonly called: string;
}

/**
 * Whether operations on a queue are linearizable: whether each can take effect at one instant between its start
 * and its end, so that a sequential queue returns the same results. Returns null if they are, or else a
 * description of the longest valid prefix. The search is that of Wing and Gong with Lowe's cache of visited
 * states. The state of the queue follows from the set of operations, because most results contain their effect.
 */
export function whyNotLinearizable(
  history: readonly Operation[],
  options: ModelOptions = {},
): string | null {
  const all = resolved(history).map((operation, at): Placed => ({ operation, at }));
  const answered = all.filter(({ operation }) => Number.isFinite(operation.answered)).length;
  const open = new Set(all);
  const abandoned = abandonedCalls(history);
  const way: { placed: Placed; before: QueueState; rest: Placed[] }[] = [];
  const known = new Set<string>();
  let state: QueueState = { entries: new Map(), keys: new Map(), called: "" };
  let candidates = candidatesOf(open, state);
  let placedAnswered = 0;
  let best = { placed: -1, stuck: [] as Operation[] };

  for (;;) {
    if (placedAnswered === answered) return null;
    if (placedAnswered > best.placed) {
      best = { placed: placedAnswered, stuck: candidates.map(({ operation }) => operation) };
    }
    const step = nextStep(candidates, state, { open, abandoned }, options);
    if (step) {
      way.push({ placed: step.placed, before: state, rest: step.rest });
      open.delete(step.placed);
      if (Number.isFinite(step.placed.operation.answered)) placedAnswered++;
      const reached = `${nameOf(open)}:${step.after.called}`;
      if (!known.has(reached)) {
        known.add(reached);
        state = step.after;
        candidates = candidatesOf(open, state);
        continue;
      }
      candidates = []; // this state was visited
    }
    const back = way.pop();
    if (!back)
      return `${best.placed} of ${answered} could be placed; then: ${described(best.stuck)}`;
    open.add(back.placed);
    if (Number.isFinite(back.placed.operation.answered)) placedAnswered--;
    state = back.before;
    candidates = back.rest;
  }
}

/** The first candidate that can be next, and the remaining candidates. */
function nextStep(
  candidates: readonly Placed[],
  state: QueueState,
  others: OtherOperations,
  options: ModelOptions,
) {
  for (const [at, placed] of candidates.entries()) {
    const after = applied(state, placed.operation, pendingChanges(placed, others), options);
    if (after) return { placed, after, rest: candidates.slice(at + 1) };
  }
  return null;
}

function isOpen({ operation }: Placed): boolean {
  return !Number.isFinite(operation.answered);
}

/**
 * Whether an operation without a result can affect another one if it comes first. If it cannot, it can come
 * later as well, so the search places it only where it matters.
 */
function concerns({ operation: open }: Placed, other: Placed, { entries }: QueueState): boolean {
  const { operation } = other;
  if (isOpen(other)) return false;
  if (open.does === "next" || operation.does === "next" || operation.does === "list") return true;
  const number = numberIn(open, entries);
  const [one, another] = [idIn(open), idIn(operation)];
  return one === another || number < numberIn(operation, entries);
}

function idIn(operation: Operation): string | null {
  if ("id" in operation) return operation.id;
  return operation.does === "create" && typeof operation.result === "object"
    ? (operation.result?.id ?? null)
    : null;
}

/** The token number of the entry of an operation, if known. */
function numberIn(operation: Operation, entries: QueueState["entries"]): number {
  if (operation.does === "create" && typeof operation.result === "object" && operation.result) {
    return operation.result.number;
  }
  return entries.get(idIn(operation) ?? "")?.number ?? 0;
}

/**
 * Resolves operations without a result by the list at the end: an effect in the list happened, and an effect
 * that is missing did not, because a queue loses nothing. This makes the search smaller.
 */
function resolved(history: readonly Operation[]): readonly Operation[] {
  const last = history.findLast((operation) => operation.does === "list");
  const listed = listedByKey(history);
  return history.flatMap((operation): Operation[] => {
    if (operation.result !== null) return [operation];
    if (operation.does === "next") return [operation];
    if (operation.does === "cancel") {
      const isCanceled =
        !last || last.result?.find(({ id }) => id === operation.id)?.status === "CANCELED";
      return isCanceled ? [operation] : [];
    }
    if (operation.does !== "create") return [];
    const found = listed.get(operation.key);
    if (!found) return [];
    const { id, number } = found;
    return [{ ...operation, result: { id, number, position: null, text: null } }];
  });
}

/** A call that never took effect. It may be counted by calls that began before `until`. */
interface Abandoned {
  readonly does: "create" | "cancel";
  readonly invoked: number;
  readonly until: number;
}

/** The creations and cancellations without a result and without an effect in the list at the end. */
function abandonedCalls(history: readonly Operation[]): readonly Abandoned[] {
  const listed = listedByKey(history);
  const canceled = new Set(
    [...listed.values()].filter(({ status }) => status === "CANCELED").map(({ id }) => id),
  );
  const answers = history.map(({ answered }) => answered);
  return history.flatMap((call): Abandoned[] => {
    const { does, invoked, failed = Number.POSITIVE_INFINITY } = call;
    if (call.result !== null || (does !== "create" && does !== "cancel")) return [];
    if (does === "create" ? listed.has(call.key) : canceled.has(call.id)) return [];
    const later = answers.filter((answered) => answered > failed);
    return [{ does, invoked, until: Math.min(...later, Number.POSITIVE_INFINITY) }];
  });
}

function listedByKey(history: readonly Operation[]): ReadonlyMap<string, Listed> {
  const last = history.findLast((operation) => operation.does === "list");
  return new Map((last?.result ?? []).map((entry) => [entry.key, entry]));
}

/** The operations that can come next: no other one ended before they started. */
function candidatesOf(open: ReadonlySet<Placed>, state: QueueState): Placed[] {
  let firstAnswer = Number.POSITIVE_INFINITY;
  for (const { operation } of open) firstAnswer = Math.min(firstAnswer, operation.answered);
  const possible = [...open].filter(({ operation }) => operation.invoked <= firstAnswer);
  return possible
    .filter((one) => !isOpen(one) || possible.some((other) => concerns(one, other, state)))
    .sort((a, b) => likelihood(a) - likelihood(b) || a.at - b.at);
}

/**
 * The search tries operations by token number, and operations without a result last, because this order is
 * usually the right one.
 */
function likelihood({ operation }: Placed): number {
  if (operation.result === null) return Number.MAX_SAFE_INTEGER;
  return operation.does === "create" && typeof operation.result === "object"
    ? (operation.result?.number ?? 0)
    : 0;
}

function nameOf(open: ReadonlySet<Placed>): string {
  return [...open]
    .map(({ at }) => at)
    .sort((a, b) => a - b)
    .join(" ");
}

/** The operations that are not placed, and the calls that never took effect. */
interface OtherOperations {
  readonly open: ReadonlySet<Placed>;
  readonly abandoned: readonly Abandoned[];
}

/** How many changes a position may count before, or without, their effect. */
interface Pending {
  readonly creations: number;
  readonly cancellations: number;
}

function pendingChanges(of: Placed, { open, abandoned }: OtherOperations): Pending {
  const { invoked, answered } = of.operation;
  const counted = abandoned.filter((call) => call.invoked < answered && invoked < call.until);
  const cancellations = counted.filter(({ does }) => does === "cancel").length;
  let creations = counted.length - cancellations;
  for (const other of open) {
    if (other !== of && other.operation.does === "create" && other.operation.invoked < answered)
      creations++;
  }
  return { creations, cancellations };
}

/** The queue after an operation. Null if the queue cannot return the recorded result. */
function applied(
  state: QueueState,
  operation: Operation,
  pending: Pending,
  { countsPending = false }: ModelOptions,
): QueueState | null {
  const counted = countsPending ? pending : { creations: 0, cancellations: 0 };
  const { entries } = state;
  switch (operation.does) {
    case "create":
      return created(state, operation.key, operation.result, counted);
    case "cancel": {
      const found = entries.get(operation.id);
      const waits = found?.status === "WAITING";
      if (operation.result === "refused") return waits ? null : state;
      return found && waits ? withEntry(state, { ...found, status: "CANCELED" }) : null;
    }
    case "next": {
      const first = [...entries.values()]
        .filter(({ status }) => status === "WAITING")
        .reduce<Listed | null>((a, b) => (a && a.number < b.number ? a : b), null);
      if (operation.result === "nobody") return first ? null : state;
      if (!first || (operation.result !== null && operation.result !== first.id)) return null;
      const after = withEntry(state, { ...first, status: "IN_SERVICE" });
      return operation.result === null
        ? { ...after, called: `${state.called} ${first.id}` }
        : after;
    }
    case "place": {
      const found = entries.get(operation.id);
      if (!found) return null;
      const position = operation.result?.position ?? null;
      if (found.status !== "WAITING") return position === null ? state : null;
      return isPlace(position, rankOf(entries, found.number), counted) ? state : null;
    }
    case "list": {
      const result = operation.result ?? [];
      return result.length === entries.size &&
        result.every((entry) => isSame(entries.get(entry.id), entry))
        ? state
        : null;
    }
  }
}

function created(
  state: QueueState,
  key: string,
  result: Created | "refused" | null,
  counted: Pending,
): QueueState | null {
  if (result === "refused" || result === null) return state;
  const { entries, keys } = state;
  const known = keys.get(key);
  if (known) {
    const { text } = known;
    if (known.id !== result.id || known.number !== result.number) return null;
    if (text !== null && result.text !== null && text !== result.text) return null;
    return { ...state, keys: new Map(keys).set(key, { ...known, text: text ?? result.text }) };
  }
  const { id, number } = result;
  for (const entry of entries.values()) if (entry.number === number || entry.id === id) return null;
  if (result.position !== null && !isPlace(result.position, rankOf(entries, number), counted))
    return null;
  const after = withEntry(state, { id, key, number, status: "WAITING" });
  return { ...after, keys: new Map(keys).set(key, result) };
}

/** The position of a number: one more than the waiting entries with a lower number. */
function rankOf(entries: QueueState["entries"], number: number): number {
  let rank = 1;
  for (const entry of entries.values()) {
    if (entry.status === "WAITING" && entry.number < number) rank++;
  }
  return rank;
}

function isPlace(
  position: number | null,
  rank: number,
  { creations, cancellations }: Pending,
): boolean {
  if (position === null) return false;
  return position >= rank - cancellations && position <= rank + creations;
}

function withEntry(state: QueueState, entry: Listed): QueueState {
  return { ...state, entries: new Map(state.entries).set(entry.id, entry) };
}

function isSame(a: Listed | undefined, b: Listed): boolean {
  return a?.id === b.id && a.key === b.key && a.number === b.number && a.status === b.status;
}

function described(operations: readonly Operation[]): string {
  return operations.map((operation) => JSON.stringify(operation)).join("; ");
}
