import {
  ConnectionError,
  InvalidRequestError,
  type QueueApiError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from "./errors.js";
import type { Entry } from "./generated/types.js";
import { callOptionNames, optionNames } from "./option-names.js";
import type { CallOptions } from "./options.js";
import type { Iteration } from "./page.js";
import { sleep } from "./sleep.js";

/** What happened to an entry between two polls. */
export type EntryChange =
  /** The entry is new on the list. The first poll reports every entry as added. */
  | { readonly type: "added"; readonly entry: Entry }
  /** A field of the entry has changed. */
  | { readonly type: "changed"; readonly entry: Entry; readonly previous: Entry }
  /** The entry is no longer on the list; `entry` is its last known state. */
  | { readonly type: "removed"; readonly entry: Entry };

/** The options of polling. */
export interface WatchOptions {
  /** Time between two polls, in milliseconds. Default: 5,000. */
  readonly intervalMs?: number | undefined;
  /** The longest time between two polls, reached while nothing changes, in milliseconds. Default: 30,000. */
  readonly maxIntervalMs?: number | undefined;
  /** Called for a failed poll that will be repeated. */
  readonly onPollError?: ((error: QueueApiError) => void) | undefined;
}

/** The option names of a watch. */
export const watchOptionNames = optionNames<WatchOptions>(
  { intervalMs: true, maxIntervalMs: true, onPollError: true },
  callOptionNames,
);

/** The default intervals. */
export const watchDefaults = { intervalMs: 5_000, maxIntervalMs: 30_000 } as const;

/** The factor by which the interval grows while nothing changes. */
const slowdown = 1.5;

/** The changes from one state of a list to the next: added and changed entries, then removed ones. */
export function differences(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): EntryChange[] {
  const changes: EntryChange[] = [];
  for (const [id, entry] of after) {
    const previous = before.get(id);
    if (!previous) changes.push({ type: "added", entry });
    else if (!same(previous, entry)) changes.push({ type: "changed", entry, previous });
  }
  for (const [id, entry] of before) {
    if (!after.has(id)) changes.push({ type: "removed", entry });
  }
  return changes;
}

function same(a: Entry, b: Entry): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The dependencies of a watch. */
export interface WatchSource {
  /** Throws if the arguments of the watch are wrong, before anything is read. */
  readonly check: () => void;
  /** Reads the whole list. */
  readonly read: (stop: AbortSignal) => Promise<readonly Entry[]>;
  /** The options; their signal ends the watch. */
  readonly options: WatchOptions & Pick<CallOptions, "signal">;
}

/**
 * Polls a list and reports the changes since the last successful poll, so that a failed poll loses nothing.
 * Ends when the signal is aborted or the loop is left.
 */
export function watchChanges(source: WatchSource): Iteration<EntryChange> {
  const stop = new AbortController();
  const changes = poll(source, stop);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => changes.next(),
    return: () => {
      stop.abort(); // or a pending next() would delay the end by a whole interval
      return changes.return(undefined);
    },
  };
}

async function* poll(
  { check, read, options }: WatchSource,
  stop: AbortController,
): AsyncGenerator<EntryChange, undefined> {
  check();
  const { signal, intervalMs = watchDefaults.intervalMs } = options;
  const longest = Math.max(intervalMs, options.maxIntervalMs ?? watchDefaults.maxIntervalMs);
  const end = () => stop.abort();
  signal?.addEventListener("abort", end);
  if (signal?.aborted) end();
  try {
    let known: ReadonlyMap<string, Entry> = new Map();
    let pause = intervalMs;
    while (!stop.signal.aborted) {
      const list = await readOrReport(read, options, stop.signal);
      const changes = list ? differences(known, list) : [];
      known = list ?? known;
      for (const change of changes) {
        if (stop.signal.aborted) return;
        yield change;
      }
      pause = changes.length > 0 ? intervalMs : Math.min(longest, pause * slowdown);
      await sleep(pause, stop.signal);
    }
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/** The list by id; null if this poll failed. */
async function readOrReport(
  read: WatchSource["read"],
  { onPollError }: WatchOptions,
  stop: AbortSignal,
): Promise<ReadonlyMap<string, Entry> | null> {
  try {
    const entries = await read(stop);
    return new Map(entries.map((entry) => [entry.id, entry]));
  } catch (error) {
    if (stop.aborted) return null;
    if (!mayPass(error)) throw error;
    onPollError?.(error);
    return null;
  }
}

/** Whether a poll that failed with this error may succeed later. */
function mayPass(error: unknown): error is QueueApiError {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof ServerError ||
    error instanceof RateLimitError ||
    error instanceof UnexpectedResponseError ||
    isOfYesterday(error)
  );
}

/** Whether the day ended between two pages: the cursor is then invalid in the list of the new day. */
function isOfYesterday(error: unknown): boolean {
  if (!(error instanceof InvalidRequestError)) return false;
  return error.details.length > 0 && error.details.every(({ field }) => field === "cursor");
}
