import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";
import { type Operation, wrapStore } from "../operations.js";
import type { Store } from "../store.js";
import { prepareAdmission } from "./admission.js";
import { prepareAppointments } from "./appointments.js";
import { prepareAudit } from "./audit.js";
import { prepareBoards } from "./boards.js";
import { prepareBusinesses, prepareKeys, prepareQueues, prepareServices } from "./businesses.js";
import { prepareChanges } from "./changes.js";
import type { Connection } from "./connection.js";
import { prepareEntries } from "./entries.js";
import { prepareImports } from "./imports.js";
import { prepareIssue } from "./issue.js";
import { prepareMaintenance, prepareMonitoring } from "./maintenance.js";
import { type Noun, operations, type Run } from "./operations.js";
import { prepareAccounts, prepareSessions, prepareSignIns } from "./owners.js";
import { prepareStatistics } from "./statistics.js";
import type { Steps } from "./steps.js";
import { WriteBatcher } from "./write-batcher.js";

/**
 * The store in one SQLite file, on a connection to a database with the newest schema. Windows use the clock.
 * Long-lived records expire only if `elapsed` confirms the clock. The other files in this folder contain the
 * SQL; `operations.ts` says how each step runs.
 */
export function sqliteStore(db: Connection, clock: Clock, elapsed: Clock = clock): Store {
  const settled = new SettledTime(elapsed);
  const expiry = () => settled.at(clock());
  expiry(); // the first reading, without which a leap cannot be detected
  const writes = new WriteBatcher(db);
  const accounts = prepareAccounts(db, clock);
  const audit = prepareAudit(db);
  const businesses = prepareBusinesses(db);
  const entries = prepareEntries(db);
  const keys = prepareKeys(db, clock);
  const queues = prepareQueues(db);
  const services = prepareServices(db);
  const admission = prepareAdmission(db, clock);
  const imports = prepareImports(db, { businesses, keys, queues, services, accounts }, expiry);

  const { replayOf, issueAll } = prepareIssue(db, { audit, clock, expiry });

  const steps: StepsOfStore = {
    admission,
    audit,
    businesses,
    keys,
    queues: { ...queues, day: entries.day },
    services,
    entries: { ...entries, ...prepareChanges(db, { ...entries, ...audit }), replayOf },
    appointments: prepareAppointments(db),
    boards: prepareBoards(db, { queues, services, days: entries }),
    statistics: prepareStatistics(db),
    accounts,
    signIns: prepareSignIns(db, clock),
    sessions: prepareSessions(db, clock),
    monitoring: prepareMonitoring(db),
    imports,
    maintenance: prepareMaintenance(db, expiry),
  };

  const store = asOperations(steps, db, writes);
  return {
    ...store,
    entries: { ...store.entries, issue: writes.together("durable", issueAll) },
    admission: { ...store.admission, admit: writes.together("volatile", admission.admit) },
    now: async () => clock(),
    // A read would succeed on a full disk, and while another process holds the write lock.
    ping: () => writes.alone("volatile", () => db.touch()),
    async close() {
      await writes.drain();
      try {
        db.checkpoint();
      } finally {
        db.close();
      }
    },
  };
}

/** The steps of the port. Those of admissions and creations run together. */
type StepsOfStore = {
  readonly [N in Noun]: Omit<Steps<Store[N]>, Together[N & keyof Together]>;
};

interface Together {
  readonly admission: "admit";
  readonly entries: "issue";
}

/** Makes each step an operation of the port, which runs as {@link operations} says. */
function asOperations(steps: StepsOfStore, db: Connection, writes: WriteBatcher): Store {
  const runs: Readonly<Record<Run, (step: () => unknown) => unknown>> = {
    read: async (step) => db.reading(step),
    report: async (step) => db.reading(step),
    durable: (step) => writes.alone("durable", step),
    volatile: (step) => writes.alone("volatile", step),
  };
  return wrapStore<Run>(operations, (path, run) => {
    const [noun, name] = path.split(".") as [Noun, never];
    const step: Operation = steps[noun][name];
    return (...given) => runs[run](() => step(...given));
  });
}
