import type { Clock } from "../../rules/ports.js";
import { SettledTime } from "../../rules/settled-time.js";
import type { Dump, Kept, Kind, Load } from "../kept.js";
import type { BusinessImport, ImportOptions, ImportOutcome } from "../port/businesses.js";
import type { CopyStore } from "../port/copying.js";
import type { Store } from "../store.js";
import { prepareAccounts } from "./accounts.js";
import { admissionStore, prepareAdmission } from "./admission.js";
import { prepareAppointments } from "./appointments.js";
import { prepareAudit } from "./audit.js";
import { prepareBoards } from "./boards.js";
import { prepareBusinesses } from "./businesses.js";
import type { Connection } from "./connection.js";
import { prepareDump } from "./dump.js";
import { prepareEntries } from "./entries.js";
import { prepareIdempotency } from "./idempotency.js";
import { prepareImport, SlugTaken } from "./import.js";
import { prepareKeys } from "./keys.js";
import { prepareLoad } from "./load.js";
import { prepareMaintenance } from "./maintenance.js";
import { prepareMonitoring } from "./monitoring.js";
import { prepareQueues } from "./queues.js";
import { prepareServices } from "./services.js";
import { prepareSessions } from "./sessions.js";
import { prepareSignIns } from "./sign-ins.js";
import { prepareStatistics } from "./statistics.js";
import { prepareTokens } from "./tokens.js";
import { prepareWaits } from "./waits.js";
import { WriteBatcher } from "./write-batcher.js";

/**
 * The store in one SQLite file, on a connection to a database with the newest schema. Windows, leases and
 * expiry use the clock. Long-lived records expire only if `elapsed` confirms the clock. The other files in
 * this folder contain the SQL, one noun each. The table below defines how each step runs: `read` runs at
 * once, `durable` in a batch that survives a power cut, `volatile` in a batch that survives the end of the
 * process.
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
  const waits = prepareWaits(db);
  const entries = prepareEntries(db, waits);
  const idempotency = prepareIdempotency(db, clock, expiry);
  const keys = prepareKeys(db, clock);
  const queues = prepareQueues(db);
  const services = prepareServices(db);
  const boards = prepareBoards(db, { queues, services, entries, waits });
  const importAll = prepareImport(db, { keys, queues, services, appointments });
  const maintenance = prepareMaintenance(db, expiry);
  const monitoring = prepareMonitoring(db);
  const sessions = prepareSessions(db, clock);
  const signIns = prepareSignIns(db, clock);
  const statistics = prepareStatistics(db);
  const tokens = prepareTokens(db, { entries, idempotency, audit });

  return {
    admission: admissionStore(prepareAdmission(db, clock), writes),
    idempotency: {
      claim: volatile(idempotency.claim),
      release: volatile(idempotency.release),
      endLease: volatile(idempotency.endLease),
    },
    audit: { append: volatile(audit.appendAll), page: read(audit.page) },

    businesses: {
      list: read(businesses.list),
      get: read(businesses.get),
      bySlug: read(businesses.bySlug),
      byDisplay: read(businesses.byDisplay),
      idOf: read(businesses.idOf),
      change: durable(businesses.change),
      import: importStep(durable(importAll)),
    },
    keys: {
      list: read(keys.list),
      add: durable(keys.add),
      change: durable(keys.change),
      revoke: durable(keys.revoke),
    },
    queues: {
      list: read(queues.list),
      day: read(entries.queueDay),
      add: durable(queues.add),
      change: durable(queues.change),
    },
    services: {
      list: read(services.list),
      add: durable(services.add),
      change: durable(services.change),
    },
    entries: {
      get: read(entries.get),
      page: read(entries.page),
      list: read(entries.list),
      issue: durable(tokens.issue),
      move: durable(tokens.move),
      transfer: durable(tokens.transfer),
      setPriority: durable(tokens.setPriority),
      callIfNext: durable(tokens.callIfNext),
      callNext: durable(tokens.callNext),
    },
    appointments: {
      get: read(appointments.get),
      page: read(appointments.page),
      add: durable(appointments.add),
      change: durable(appointments.change),
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
    copying: copying(db, writes),
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

type Import = (
  imports: readonly BusinessImport[],
  options: ImportOptions,
) => Promise<ImportOutcome>;

/**
 * If a slug is taken, an exception rolls the import back. This function turns the exception into an outcome.
 */
function importStep(importAll: Import): Import {
  return async (imports, options) => {
    try {
      return await importAll(imports, options);
    } catch (error) {
      if (error instanceof SlugTaken) return { outcome: "slug_exists", slug: error.slug };
      throw error;
    }
  };
}

/** Prepares its statements on first use, because copies are rare. */
function copying(db: Connection, writes: WriteBatcher): CopyStore {
  let dump: Dump | null = null;
  let load: Load | null = null;
  return {
    async dump(kind, after) {
      dump ??= prepareDump(db);
      return dump[kind](after);
    },
    load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void> {
      load ??= prepareLoad(db);
      const prepared = load;
      return writes.durable(() => {
        prepared[kind](records, offset);
      });
    },
    async finish() {},
  };
}
