import * as examples from "../generated/examples.js";
import type {
  Appointment,
  Entry,
  EntryWithPosition,
  Me,
  Queue,
  QueueSummary,
  Service,
} from "../generated/types.js";

/** Some of the fields of an object, recursively. */
export type Changes<Value> = {
  [Field in keyof Value]?: Value[Field] extends readonly unknown[]
    ? Value[Field] | undefined
    : Value[Field] extends object
      ? Partial<Value[Field]> | undefined
      : Value[Field] | undefined;
};

/** The fields that depend on an entry's status. */
const courses: Readonly<Record<string, Partial<Entry>>> = {
  WAITING: {},
  IN_SERVICE: { startedAt: "2026-11-21T04:50:00.000Z", predictedWaitMinutes: null },
  COMPLETED: {
    startedAt: "2026-11-21T04:50:00.000Z",
    completedAt: "2026-11-21T05:05:00.000Z",
    predictedWaitMinutes: null,
  },
  CANCELED: { canceledAt: "2026-11-21T04:40:00.000Z", predictedWaitMinutes: null },
  NO_SHOW: { predictedWaitMinutes: null },
};

function entry(changes: Changes<Entry> = {}): Entry {
  const { status, tokenSeries, tokenNumber } = merged(examples.entry, changes);
  const label = { token: `${tokenSeries}${tokenNumber}` };
  return merged({ ...examples.entry, ...courses[status], ...label }, changes);
}

/**
 * Valid objects of the API, from the contract's examples. Pass the fields that matter to a test; the other
 * fields are made consistent with them: a `CANCELED` entry has a `canceledAt` and no position, and an entry
 * with `tokenNumber: 7` has the token `A7`.
 *
 * @example
 * fakes.entry({ status: "CANCELED" });
 * fakes.queueSummary({ counts: { waiting: 40 } });
 */
export const fakes = {
  entry,

  entryWithPosition(changes: Changes<EntryWithPosition> = {}): EntryWithPosition {
    const { position, ...rest } = changes;
    const made = entry(rest);
    const waiting = made.status === "WAITING";
    return {
      ...made,
      position: position ?? (waiting ? examples.entryWithPosition.position : null),
    };
  },

  queue: (changes: Changes<Queue> = {}): Queue => merged(examples.queue, changes),

  queueSummary: (changes: Changes<QueueSummary> = {}): QueueSummary =>
    merged(examples.queueSummary, changes),

  service: (changes: Changes<Service> = {}): Service => merged(examples.service, changes),

  appointment: (changes: Changes<Appointment> = {}): Appointment =>
    merged(examples.appointment, changes),

  me: (changes: Changes<Me> = {}): Me => merged(examples.me, changes),
};

/** The base with the changes, merged recursively. */
function merged<Value extends object>(base: Value, changes: Changes<Value>): Value {
  const result = structuredClone(base);
  for (const field of Object.keys(changes) as (keyof Value)[]) {
    const change = changes[field];
    const old = base[field];
    if (change === undefined) continue;
    result[field] =
      isObject(old) && isObject(change) ? { ...old, ...change } : (change as Value[typeof field]);
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
