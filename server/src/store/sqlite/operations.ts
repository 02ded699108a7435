import type { Store } from "../store.js";

/**
 * How an operation runs. `read`: at once, a short read of a request. `report`: at once, a read that may be long, so
 * that with threads no request waits behind it. `durable`: in a batch of writes that survives a power cut.
 * `volatile`: in a batch of writes that survives the end of the process.
 */
export type Run = "read" | "report" | "durable" | "volatile";

/** The nouns of the port. */
export type Noun = {
  [Name in keyof Store]: Store[Name] extends (...given: never) => unknown ? never : Name;
}[keyof Store];

const [read, report] = ["read", "report"] as const;
const [durable, volatile] = ["durable", "volatile"] as const;

/** How each operation runs. The compiler requires every operation of the port. */
export const operations: { readonly [N in Noun]: { readonly [O in keyof Store[N]]: Run } } = {
  admission: { admit: volatile, signInWindow: read },
  audit: { append: volatile, page: report },

  businesses: { list: report, find: read, change: durable },
  keys: { list: read, add: durable, change: durable },
  queues: {
    list: read,
    day: read,
    isInUse: report,
    add: durable,
    change: durable,
    reorder: durable,
    remove: durable,
  },
  services: { list: read, isInUse: report, add: durable, change: durable, remove: durable },
  entries: {
    get: read,
    byIds: read,
    page: read,
    list: read,
    issue: durable,
    move: durable,
    transfer: durable,
    correct: durable,
    callNext: durable,
  },
  appointments: { get: read, page: read, add: durable, change: durable, remove: durable },
  boards: { get: report, version: read },
  statistics: { entryTimes: report },

  accounts: {
    list: read,
    byEmail: read,
    add: durable,
    changeRole: durable,
    remove: durable,
    replacePasswordLink: durable,
    byPasswordLink: read,
    setPassword: durable,
  },
  signIns: { admit: volatile, forgive: volatile },
  sessions: { start: durable, get: read, end: durable, endAll: durable },

  monitoring: { linesByDay: report },
  imports: {
    begin: durable,
    add: volatile,
    commit: durable,
    head: report,
    read: report,
    markCopying: durable,
    isCopying: report,
  },
  maintenance: { prune: volatile },
};
