import { callOptionNames, optionNames } from "./check-options.js";
import { QueueApiError } from "./errors.js";
import type { Entry } from "./generated/types.js";
import { type Iteration, iteration } from "./iteration.js";
import type { Page } from "./page.js";
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
  /** Time between two polls of one page, in milliseconds. With several pages, times their number. Default: 5,000. */
  readonly intervalMs?: number | undefined;
  /** The longest time between two polls of one page, reached while nothing changes, in milliseconds. Default: 30,000. */
  readonly maxIntervalMs?: number | undefined;
  /** Called for a failed poll that will be repeated. */
  readonly onPollError?: ((error: QueueApiError) => void) | undefined;
}

/** The option names of a watch. @internal */
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
  /** Reads the list. */
  readonly pages: (stop: AbortSignal) => AsyncIterable<Page<Entry>>;
  /** The options; their signal ends the watch. */
  readonly options: WatchOptions & { readonly signal?: AbortSignal | undefined };
}

/**
 * Polls a list and reports the changes since the last successful poll, so that a failed poll loses nothing.
 * Ends when the signal is aborted or the loop is left.
 */
export function watchChanges({ check, pages, options }: WatchSource): Iteration<EntryChange> {
  const { intervalMs = watchDefaults.intervalMs, onPollError } = options;
  const longestMs = Math.max(intervalMs, options.maxIntervalMs ?? watchDefaults.maxIntervalMs);
  let known: ReadonlyMap<string, Entry> = new Map();
  let pauseMs = intervalMs;
  let pageCount = 1;

  async function read(stop: AbortSignal): Promise<EntryChange[]> {
    const entries = new Map<string, Entry>();
    let read = 0;
    for await (const { items } of pages(stop)) {
      read += 1;
      for (const entry of items) entries.set(entry.id, entry);
    }
    const before = known;
    known = entries;
    pageCount = Math.max(1, read);
    return differences(before, known);
  }

  return iteration(async function* (left) {
    check();
    const stop = new AbortController();
    const signals = options.signal ? [left, options.signal] : [left];
    const end = () => stop.abort();
    for (const signal of signals) signal.addEventListener("abort", end);
    if (signals.some(({ aborted }) => aborted)) end();
    try {
      while (!stop.signal.aborted) {
        const changes = await read(stop.signal).catch((error: unknown) => {
          if (stop.signal.aborted) return [];
          if (!(error instanceof QueueApiError && error.isRetryable)) throw error;
          onPollError?.(error);
          return [];
        });
        for (const change of changes) {
          if (stop.signal.aborted) return undefined;
          yield change;
        }
        pauseMs = changes.length > 0 ? intervalMs : Math.min(longestMs, pauseMs * slowdown);
        await sleep(pauseMs * pageCount, stop.signal);
      }
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", end);
    }
    return undefined;
  });
}
