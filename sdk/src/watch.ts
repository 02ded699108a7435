import { ApiError, QueueApiError, UnexpectedResponseError } from "./errors.js";
import type { Entry } from "./generated/types.js";
import type { CallOptions, WatchOptions } from "./options.js";
import { type Iteration, iteration, type Page } from "./pagination.js";
import { abortable, follow, sleep } from "./signals.js";

/** What happened between two polls. */
export type EntryChange =
  /** The entry is new on the list. The first poll reports every entry as added. */
  | { readonly type: "added"; readonly entry: Entry }
  /** The first poll is complete: all its entries have been reported. Comes once, also for an empty list. */
  | { readonly type: "loaded" }
  /** Fields of the entry have changed; `fields` are their names. */
  | {
      readonly type: "changed";
      readonly entry: Entry;
      readonly previous: Entry;
      readonly fields: readonly (keyof Entry)[];
    }
  /** The entry is no longer on the list; `entry` is its last known state. */
  | { readonly type: "removed"; readonly entry: Entry };

export const watchDefaults = { intervalMs: 5_000, maxIntervalMs: 30_000 } as const;

/** The factor by which the interval grows while nothing changes. */
const slowdown = 1.5;

/** The changes from one state of a list to the next: added and changed entries, then removed ones. */
function differences(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): EntryChange[] {
  const changes: EntryChange[] = [];
  for (const [id, entry] of after) {
    const previous = before.get(id);
    const fields = previous ? changedFields(previous, entry) : [];
    if (!previous) changes.push({ type: "added", entry });
    else if (fields.length > 0) changes.push({ type: "changed", entry, previous, fields });
  }
  for (const [id, entry] of before) {
    if (!after.has(id)) changes.push({ type: "removed", entry });
  }
  return changes;
}

/** The fields that differ, also those that the type does not know yet. */
function changedFields(before: Entry, after: Entry): (keyof Entry)[] {
  const names = Object.keys({ ...before, ...after }) as (keyof Entry)[];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/**
 * Polls a list and reports the changes since the last successful poll, so that a failed poll loses nothing.
 * Ends when the signal is aborted or the loop is left.
 *
 * @param check - Throws if the arguments of the watch are wrong, before anything is read.
 */
export function watchChanges(
  pages: (stop: AbortSignal) => AsyncIterable<Page<Entry>>,
  options: WatchOptions & Pick<CallOptions, "signal">,
  check: () => void,
): Iteration<EntryChange> {
  const { intervalMs = watchDefaults.intervalMs, onPollError } = options;
  const maxIntervalMs = Math.max(intervalMs, options.maxIntervalMs ?? watchDefaults.maxIntervalMs);
  let known: ReadonlyMap<string, Entry> | null = null;
  let pageCount = 1;
  let pauseMs = intervalMs;

  async function poll(stop: AbortSignal): Promise<EntryChange[]> {
    const entries = new Map<string, Entry>();
    let read = 0;
    for await (const { items } of pages(stop)) {
      read += 1;
      for (const entry of items) entries.set(entry.id, entry);
    }
    const changes = differences(known ?? new Map(), entries);
    if (!known) changes.push({ type: "loaded" });
    pageCount = read;
    known = entries;
    return changes;
  }

  return iteration(async function* (controller) {
    check();
    const stop = controller.signal;
    const release = options.signal && follow(options.signal, controller);
    try {
      while (!stop.aborted) {
        let requestedMs = 0; // the wait that the service requests
        const changes = await poll(stop).catch(async (error: unknown) => {
          if (stop.aborted || !mayPass(error)) throw error;
          if (error instanceof ApiError) requestedMs = error.retryAfterMs ?? 0;
          const told = (async () => onPollError?.(error))();
          await abortable(told, stop);
          return [];
        });
        pauseMs = changes.length > 0 ? intervalMs : Math.min(maxIntervalMs, pauseMs * slowdown);
        for (const change of changes) {
          if (stop.aborted) return undefined;
          yield change;
        }
        await sleep(Math.max(pauseMs * pageCount, requestedMs), stop);
      }
    } finally {
      release?.();
    }
    return undefined;
  });
}

/** Whether a later poll can succeed. A gateway that starts again refuses requests for a moment; a redirect stays. */
function mayPass(error: unknown): error is QueueApiError {
  if (error instanceof UnexpectedResponseError) return error.status < 300 || error.status >= 400;
  return error instanceof QueueApiError && error.isRetryable;
}
