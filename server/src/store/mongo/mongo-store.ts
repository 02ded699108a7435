import { wrapStore } from "../operations.js";
import type { Store } from "../store.js";
import { mongoAdmission } from "./admission.js";
import { mongoAppointments } from "./appointments.js";
import { mongoAudit } from "./audit.js";
import { mongoBoards } from "./boards.js";
import { mongoBusinesses, mongoKeys, mongoQueues, mongoServices } from "./businesses.js";
import type { Database } from "./connection.js";
import { mongoEntries } from "./entries.js";
import { reaching, repeatable } from "./guard.js";
import { mongoImports } from "./imports.js";
import { mongoMaintenance } from "./maintenance.js";
import { mongoAccounts, mongoSessions } from "./owners.js";
import { mongoSignIns } from "./sign-ins.js";
import { mongoMonitoring, mongoStatistics } from "./statistics.js";
import type { StoreTime } from "./time.js";

/**
 * The store on MongoDB, for any number of instances. Each operation ends in one write of one document, which
 * the server makes whole or not at all. It uses no transactions, so it works with a standalone server and on a
 * sharded cluster. Every operation throws StoreUnavailableError if the database cannot be reached in time.
 */
export function mongoStore(db: Database, time: StoreTime): Store {
  const read = () => repeatable(time.read);
  const pending = new Set<Promise<unknown>>();
  const reach = reaching(db.reconnect);

  const store: Store = {
    admission: mongoAdmission(db, time),
    audit: mongoAudit(db, time),

    businesses: mongoBusinesses(db),
    keys: mongoKeys(db, time),
    queues: mongoQueues(db),
    services: mongoServices(db),
    entries: mongoEntries(db, time),
    appointments: mongoAppointments(db),
    boards: mongoBoards(db),
    statistics: mongoStatistics(db),

    accounts: mongoAccounts(db, time),
    signIns: mongoSignIns(db, time),
    sessions: mongoSessions(db, time),

    monitoring: mongoMonitoring(db),
    imports: mongoImports(db, time),
    maintenance: mongoMaintenance(db, time),

    now: read,
    async ping() {
      await read();
    },
    /** Waits until pending operations are done, then closes the connection. */
    async close() {
      while (pending.size > 0) await Promise.allSettled(pending);
      await db.close();
    },
  };

  return wrapStore(store, (name, operation) => {
    if (name === "close") return operation;
    return (...given) => {
      const running = reach(async () => operation(...given)).finally(() => pending.delete(running));
      pending.add(running);
      return running;
    };
  });
}
