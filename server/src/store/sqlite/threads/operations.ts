import type { Store } from "../../store.js";

/**
 * The threads of the store. SQLite has one writer at a time, so `writer` runs every step that changes
 * something. `reader` runs the short reads of requests; `reports` runs the reads that may be long, so that
 * no request waits behind them.
 */
export type ThreadName = "writer" | "reader" | "reports";

/** The nouns of the port. */
export type Noun = {
  [Name in keyof Store]: Store[Name] extends (...given: never) => unknown ? never : Name;
}[keyof Store];

const [read, write, report] = ["reader", "writer", "reports"] as const;

/** The thread that runs each operation. The compiler requires every operation of the port. */
export const operations: { readonly [N in Noun]: { readonly [O in keyof Store[N]]: ThreadName } } =
  {
    admission: { admit: write, signInWindow: read },
    audit: { append: write, page: report },

    businesses: {
      list: report,
      get: read,
      bySlug: read,
      byDisplay: read,
      idOf: read,
      change: write,
    },
    keys: { list: read, add: write, change: write, revoke: write },
    queues: { list: read, day: read, add: write, change: write, reorder: write, remove: write },
    services: { list: read, add: write, change: write, remove: write },
    entries: {
      get: read,
      byIds: read,
      page: read,
      list: read,
      issue: write,
      move: write,
      transfer: write,
      correct: write,
      setPriority: write,
      callIfNext: write,
      callNext: write,
    },
    appointments: { get: read, page: read, add: write, change: write, remove: write },
    boards: { get: report, version: read },
    statistics: { entryTimes: report },

    accounts: {
      list: read,
      byEmail: read,
      add: write,
      remove: write,
      replacePasswordLink: write,
      byPasswordLink: read,
      setPassword: write,
      changePassword: write,
    },
    signIns: { admit: write, forgive: write },
    sessions: { start: write, get: read, end: write, endAll: write },

    monitoring: { linesByDay: report },
    imports: {
      begin: write,
      add: write,
      commit: write,
      head: report,
      read: report,
      beginCopy: write,
      endCopy: write,
      isCopying: report,
    },
    maintenance: { prune: write },
  };
