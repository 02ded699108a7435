import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";
import type { Store } from "../store.js";
import { memoryAccounts } from "./accounts.js";
import { memoryAdmission } from "./admission.js";
import { memoryAppointments } from "./appointments.js";
import { memoryBoards } from "./boards.js";
import { memoryBusinesses } from "./businesses.js";
import { memoryCopying } from "./copying.js";
import { memoryEntries } from "./entries.js";
import { memoryIdempotency } from "./idempotency.js";
import { memoryKeys } from "./keys.js";
import { memoryMaintenance } from "./maintenance.js";
import { memoryMonitoring } from "./monitoring.js";
import { memoryQueues } from "./queues.js";
import { memoryServices } from "./services.js";
import { memorySessions } from "./sessions.js";
import { memorySignIns } from "./sign-ins.js";
import { memoryStatistics } from "./statistics.js";
import { Tables } from "./tables.js";

/**
 * An empty store of plain maps. Its windows, leases and expiry use the given clock. It computes every result
 * from all entries, so it is the reference that the other adapters are compared with. An operation runs to
 * its end without waiting, which makes each one atomic.
 */
export function memoryStore(clock: Clock, elapsed: Clock = clock): Store {
  const settled = new SettledTime(elapsed);
  const expiry = () => settled.at(clock());
  expiry(); // the first reading, without which a leap cannot be detected
  const tables = new Tables();
  return {
    admission: memoryAdmission(tables, clock),
    idempotency: memoryIdempotency(tables, clock, expiry),
    audit: {
      async append(rows) {
        for (const row of rows) tables.audit.append(row);
      },
      page: async (businessId, filter, page) => tables.audit.page(businessId, filter, page),
    },

    businesses: memoryBusinesses(tables),
    keys: memoryKeys(tables, clock),
    queues: memoryQueues(tables),
    services: memoryServices(tables),
    entries: memoryEntries(tables, clock),
    appointments: memoryAppointments(tables),
    boards: memoryBoards(tables),
    statistics: memoryStatistics(tables),

    accounts: memoryAccounts(tables, clock),
    signIns: memorySignIns(tables, clock),
    sessions: memorySessions(tables, clock),

    monitoring: memoryMonitoring(tables),
    copying: memoryCopying(tables),
    maintenance: memoryMaintenance(tables, expiry),

    now: async () => clock(),
    async ping() {},
    async close() {},
  };
}
