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
  /** It is on the list for the first time; on the first poll that is every entry. */
  | { readonly type: "added"; readonly entry: Entry }
  /** Some field of it is different. */
  | { readonly type: "changed"; readonly entry: Entry; readonly previous: Entry }
  /** It is no longer on the list; `entry` is what it was last. */
  | { readonly type: "removed"; readonly entry: Entry };

/** How often to look. */
export interface WatchOptions {
  /** Time between two polls, in milliseconds. Default: 5,000. */
  readonly intervalMs?: number | undefined;
  /** The longest time between two polls, reached while nothing changes, in milliseconds. Default: 30,000. */
  readonly maxIntervalMs?: number | undefined;
  /** Told of a poll that failed and will be made again. */
  readonly onPollError?: ((error: QueueApiError) => void) | undefined;
}

/** What a watch takes. */
export const watchOptionNames = optionNames<WatchOptions>(
  { intervalMs: true, maxIntervalMs: true, onPollError: true },
  callOptionNames,
);

/** How often is looked when nothing else is said. */
export const watchDefaults = { intervalMs: 5_000, maxIntervalMs: 30_000 } as const;

/** By how much the time between two polls grows while nothing changes. */
const slowdown = 1.5;

/** The changes that lead from one state of a list to the next: what is new or different, then what is gone. */
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

/** What a watch is made of. */
export interface WatchSource {
  /** Throws where the watch was asked for wrongly, before anything is read. */
  readonly check: () => void;
  /** Reads the whole list. */
  readonly read: (stop: AbortSignal) => Promise<readonly Entry[]>;
  /** Their signal ends the watch. */
  readonly options: WatchOptions & Pick<CallOptions, "signal">;
}

/**
 * Polls a list and reports what changed since the last poll that succeeded, so that a failed poll loses
 * nothing. Ends when the signal does, and when the loop is left.
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
      stop.abort(); // or a pending next() would hold up the end for a whole interval
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

/** The list by id; null when it could not be read this time. */
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

/** Whether a poll that failed like this may succeed later. */
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

/** Whether the day ended between two pages: what follows the last one is not in the list of the new day. */
function isOfYesterday(error: unknown): boolean {
  if (!(error instanceof InvalidRequestError)) return false;
  return error.details.length > 0 && error.details.every(({ field }) => field === "cursor");
}
