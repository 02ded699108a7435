import type { Service } from "../rules/records.js";
import type { PendingAudit, Port } from "../store/port.js";
import { accounts } from "./accounts.js";
import { admission } from "./admission.js";
import { appointments } from "./appointments.js";
import { audit } from "./audit.js";
import { boards } from "./boards.js";
import { itemOperations, maxServices } from "./business-items.js";
import { businesses } from "./businesses.js";
import { entries } from "./entries.js";
import { imports } from "./imports.js";
import { keys } from "./keys.js";
import { maintenance } from "./maintenance.js";
import { monitoring } from "./monitoring.js";
import type { Operation } from "./operation.js";
import { queues } from "./queues.js";
import { sessions } from "./sessions.js";
import { signIns } from "./sign-ins.js";
import { statistics } from "./statistics.js";

/** Every operation of the service, by noun. */
const operations = {
  // API requests
  admission,
  audit,
  // A business and its queues
  businesses,
  keys,
  queues,
  services: itemOperations<Service>("services", maxServices),
  entries,
  appointments,
  boards,
  statistics,
  // Accounts
  accounts,
  signIns,
  sessions,
  // Operation of the service
  monitoring,
  imports,
  maintenance,
};

type Nouns = typeof operations;

/** An operation before it is bound to a database. */
type Unbound = Pick<Operation<never[], unknown>, "isView"> &
  ((port: Port, pending: PendingAudit | null) => unknown);

/** The operations on one database: `store.entries.get(businessId, entryId)`. */
type Bound = {
  readonly [Noun in keyof Nouns]: {
    readonly [Verb in keyof Nouns[Noun]]: Nouns[Noun][Verb] extends (...given: never[]) => infer Run
      ? Run
      : never;
  };
};

/** A database with the operations of the service. */
export interface Store extends Bound {
  /** The same store. The next of its operations that changes something stores this audit row with the change. */
  audited(pending: PendingAudit): Store;
  /** The store's time. */
  now(): number;
  /** Fails if the database cannot take a write. */
  ping(): Promise<void>;
  /** Waits until pending operations are done, then closes the database. */
  close(): Promise<void>;
}

/** Runs an operation elsewhere, by its name: `entries.create`. */
type Call = (
  name: string,
  args: readonly unknown[],
  pending: PendingAudit | null,
) => Promise<unknown>;

interface Binding {
  /** See `audited`. Default: null, none. */
  readonly pending?: PendingAudit | null;
  /** Runs all operations but views. Default: null, they run on the port. */
  readonly call?: Call | null;
}

/** Binds all operations to a database. */
export function storeOn(port: Port, { pending = null, call = null }: Binding = {}): Store {
  const bind = (name: string, operation: Unbound) => {
    if (!call || operation.isView) return operation(port, pending);
    return (...args: readonly unknown[]) => call(name, args, pending);
  };
  const nouns = Object.entries(operations).map(([noun, verbs]) => {
    const bound = Object.entries<Unbound>(verbs).map(([verb, operation]) => {
      return [verb, bind(`${noun}.${verb}`, operation)];
    });
    return [noun, Object.fromEntries(bound)];
  });
  return {
    ...(Object.fromEntries(nouns) as Bound),
    audited: (audit) => storeOn(port, { pending: audit, call }),
    now: () => port.now(),
    ping: () => (call ? call("ping", [], null) : port.ping()) as Promise<void>,
    close: () => port.close(),
  };
}
