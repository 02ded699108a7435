import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";
import type { Store } from "../store.js";
import { memoryAdmission } from "./admission.js";
import { memoryAppointments } from "./appointments.js";
import { memoryBoards } from "./boards.js";
import { memoryBusinesses, memoryKeys, memoryQueues, memoryServices } from "./businesses.js";
import { memoryEntries } from "./entries.js";
import { memoryImports } from "./imports.js";
import { memoryMaintenance } from "./maintenance.js";
import { memoryAccounts, memorySessions, memorySignIns } from "./owners.js";
import { memoryMonitoring, memoryStatistics } from "./statistics.js";
import { Tables } from "./tables.js";

/**
 * An empty store of plain maps. Its windows and expiry use the given clock. It computes every result from all
 * entries, so it is the reference that the other adapters are compared with. An operation runs to its end
 * without waiting, which makes each one atomic.
 */
export function memoryStore(clock: Clock, elapsed: Clock = clock): Store {
  const settled = new SettledTime(elapsed);
  const expiry = () => settled.at(clock());
  expiry(); // the first reading, without which a leap cannot be detected
  const tables = new Tables();
  return {
    admission: memoryAdmission(tables, clock),
    audit: { append: tables.audit.append, page: tables.audit.page },

    businesses: memoryBusinesses(tables),
    keys: memoryKeys(tables, clock),
    queues: memoryQueues(tables),
    services: memoryServices(tables),
    entries: memoryEntries(tables, clock, expiry),
    appointments: memoryAppointments(tables),
    boards: memoryBoards(tables),
    statistics: memoryStatistics(tables),

    accounts: memoryAccounts(tables, clock),
    signIns: memorySignIns(tables, clock),
    sessions: memorySessions(tables, clock),

    monitoring: memoryMonitoring(tables),
    imports: memoryImports(tables, expiry),
    maintenance: memoryMaintenance(tables, expiry),

    now: async () => clock(),
    async ping() {},
    async close() {},
  };
}
