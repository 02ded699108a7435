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

/** The thread that runs each operation. The compiler requires every operation of the port. */
export const operations: { readonly [N in Noun]: { readonly [O in keyof Store[N]]: ThreadName } } =
  {
    admission: { admit: "writer", signInWindow: "reader" },
    audit: { append: "writer", page: "reports" },

    businesses: {
      list: "reports",
      get: "reader",
      bySlug: "reader",
      byDisplay: "reader",
      idOf: "reader",
      change: "writer",
    },
    keys: { list: "reader", add: "writer", change: "writer", revoke: "writer" },
    queues: {
      list: "reader",
      day: "reader",
      add: "writer",
      change: "writer",
      reorder: "writer",
      remove: "writer",
    },
    services: { list: "reader", add: "writer", change: "writer", remove: "writer" },
    entries: {
      get: "reader",
      page: "reader",
      list: "reader",
      issue: "writer",
      move: "writer",
      transfer: "writer",
      correct: "writer",
      setPriority: "writer",
      callIfNext: "writer",
      callNext: "writer",
    },
    appointments: {
      get: "reader",
      page: "reader",
      add: "writer",
      change: "writer",
      remove: "writer",
    },
    boards: { get: "reports", version: "reader" },
    statistics: { entryTimes: "reports" },

    accounts: {
      list: "reader",
      byEmail: "reader",
      add: "writer",
      remove: "writer",
      replacePasswordLink: "writer",
      byPasswordLink: "reader",
      setPassword: "writer",
      changePassword: "writer",
    },
    signIns: { admit: "writer", forgive: "writer" },
    sessions: { start: "writer", get: "reader", end: "writer", endAll: "writer" },

    monitoring: { linesByDay: "reports" },
    imports: {
      add: "writer",
      commit: "writer",
      head: "reports",
      read: "reports",
      beginCopy: "writer",
      endCopy: "writer",
      isCopying: "reports",
    },
    maintenance: { prune: "writer" },
  };
