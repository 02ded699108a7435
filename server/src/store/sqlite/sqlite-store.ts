import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";
import type { BusinessRecords, RecordKind } from "../port/imports.js";
import type { Store } from "../store.js";
import { admissionStore, prepareAdmission } from "./admission.js";
import { prepareAppointments } from "./appointments.js";
import { prepareAudit } from "./audit.js";
import { prepareBoards } from "./boards.js";
import { prepareBusinesses, prepareKeys, prepareQueues, prepareServices } from "./businesses.js";
import { prepareChanges } from "./changes.js";
import type { Connection } from "./connection.js";
import { prepareEntries } from "./entries.js";
import { importStep, prepareImports } from "./imports.js";
import { prepareMaintenance, prepareMonitoring } from "./maintenance.js";
import { prepareAccounts, prepareSessions, prepareSignIns } from "./owners.js";
import { prepareStatistics } from "./statistics.js";
import { WriteBatcher } from "./write-batcher.js";

/**
 * The store in one SQLite file, on a connection to a database with the newest schema. Windows use the clock.
 * Long-lived records expire only if `elapsed` confirms the clock. The other files in this folder contain the
 * SQL. The table below defines how each step runs: `read` runs at once, `durable` in a batch that survives a
 * power cut, `volatile` in a batch that survives the end of the process.
 */
export function sqliteStore(db: Connection, clock: Clock, elapsed: Clock = clock): Store {
  const settled = new SettledTime(elapsed);
  const expiry = () => settled.at(clock());
  expiry(); // the first reading, without which a leap cannot be detected
  const writes = new WriteBatcher(db);
  const read = asStep(async (step) => step());
  const durable = asStep((step) => writes.durable(step));
  const volatile = asStep((step) => writes.volatile(step));

  const accounts = prepareAccounts(db, clock);
  const appointments = prepareAppointments(db);
  const audit = prepareAudit(db);
  const businesses = prepareBusinesses(db);
  const entries = prepareEntries(db);
  const keys = prepareKeys(db, clock);
  const queues = prepareQueues(db);
  const services = prepareServices(db);
  const boards = prepareBoards(db, { queues, services, days: entries });
  const changes = prepareChanges(db, { entries, audit, clock, expiry });
  const imports = prepareImports(db, { businesses, keys, queues, services, accounts }, expiry);
  const maintenance = prepareMaintenance(db, expiry);
  const monitoring = prepareMonitoring(db);
  const sessions = prepareSessions(db, clock);
  const signIns = prepareSignIns(db, clock);
  const statistics = prepareStatistics(db);

  /** Each step is short, so that other steps and other processes do not wait for a whole import. */
  async function addInSteps<K extends RecordKind>(
    businessId: string,
    kind: K,
    records: readonly BusinessRecords[K][],
    offset: number,
  ): Promise<void> {
    for (let start = 0; start < records.length; start += importStep) {
      const some = records.slice(start, start + importStep);
      await writes.volatile(() => imports.add(businessId, kind, some, offset + start));
    }
  }

  return {
    admission: admissionStore(prepareAdmission(db, clock), writes),
    audit: { append: volatile(audit.append), page: read(audit.page) },

    businesses: {
      list: read(businesses.list),
      get: read(businesses.get),
      bySlug: read(businesses.bySlug),
      byDisplay: read(businesses.byDisplay),
      idOf: read(businesses.idOf),
      change: durable(businesses.change),
    },
    keys: {
      list: read(keys.list),
      add: durable(keys.add),
      change: durable(keys.change),
      revoke: durable(keys.revoke),
    },
    queues: {
      list: read(queues.list),
      day: read(entries.day),
      add: durable(queues.add),
      change: durable(queues.change),
      reorder: durable(queues.reorder),
      remove: durable(queues.remove),
    },
    services: {
      list: read(services.list),
      add: durable(services.add),
      change: durable(services.change),
      remove: durable(services.remove),
    },
    entries: {
      get: read(entries.get),
      byIds: read(entries.byIds),
      page: read(entries.page),
      list: read(entries.list),
      issue: durable(changes.issue),
      move: durable(changes.move),
      transfer: durable(changes.transfer),
      correct: durable(changes.correct),
      setPriority: durable(changes.setPriority),
      callIfNext: durable(changes.callIfNext),
      callNext: durable(changes.callNext),
    },
    appointments: {
      get: read(appointments.get),
      page: read(appointments.page),
      add: durable(appointments.add),
      change: durable(appointments.change),
      remove: durable(appointments.remove),
    },
    boards: { get: read(boards.get), version: read(boards.version) },
    statistics: { entryTimes: read(statistics.entryTimes) },

    accounts: {
      list: read(accounts.list),
      byEmail: read(accounts.byEmail),
      add: durable(accounts.add),
      remove: durable(accounts.remove),
      replacePasswordLink: durable(accounts.replacePasswordLink),
      byPasswordLink: read(accounts.byPasswordLink),
      setPassword: durable(accounts.setPassword),
      changePassword: durable(accounts.changePassword),
    },
    signIns: { admit: volatile(signIns.admit), forgive: volatile(signIns.forgive) },
    sessions: {
      start: durable(sessions.start),
      get: read(sessions.get),
      end: durable(sessions.end),
      endAll: durable(sessions.endAll),
    },

    monitoring: { linesByDay: read(monitoring.linesByDay) },
    imports: {
      begin: durable(imports.begin),
      add: addInSteps,
      commit: durable(imports.commit),
      head: read(imports.head),
      read: async (businessId, kind, after) => imports.read(businessId, kind, after),
      beginCopy: durable(imports.beginCopy),
      endCopy: durable(imports.endCopy),
      isCopying: read(imports.isCopying),
    },
    maintenance: { prune: volatile(maintenance.prune) },

    now: read(clock),
    // A read would succeed on a full disk, and while another process holds the write lock.
    ping: volatile(() => db.touch()),
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

/** Turns a function into an operation of the port that runs its step with `run`. */
function asStep(run: <Result>(step: () => Result) => Promise<Result>) {
  return <Given extends unknown[], Result>(step: (...given: Given) => Result) =>
    (...given: Given): Promise<Result> =>
      run(() => step(...given));
}
