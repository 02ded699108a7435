import { wrapStore } from "../operations.js";
import type { BusinessImport, ImportOptions } from "../port/businesses.js";
import type { Store } from "../store.js";
import { Accounts } from "./accounts.js";
import { AdmissionControl } from "./admission.js";
import { Appointments } from "./appointments.js";
import { Audit } from "./audit.js";
import { Boards } from "./boards.js";
import { bound } from "./bound.js";
import { Businesses } from "./businesses.js";
import { Catalogue } from "./catalogue.js";
import { AuditOrder } from "./collections/audit.js";
import type { Database } from "./connection.js";
import { Dumps } from "./dump.js";
import { Entries } from "./entries.js";
import { Idempotency } from "./idempotency.js";
import { Importer } from "./import.js";
import { Keys } from "./keys.js";
import { Lines } from "./lines.js";
import { Loader } from "./load.js";
import { Maintenance } from "./maintenance.js";
import { linesByDay } from "./monitoring.js";
import { Numbers } from "./numbers.js";
import { Outbox } from "./outbox.js";
import { Queues } from "./queues.js";
import { Reports } from "./reports.js";
import { Services } from "./services.js";
import { Sessions } from "./sessions.js";
import { SignIns } from "./sign-ins.js";
import { Statistics } from "./statistics.js";
import type { StoreTime } from "./time.js";
import { Tokens } from "./tokens.js";
import { Transfers } from "./transfers.js";
import { reaching } from "./unavailable.js";
import { Writer } from "./writer.js";

/**
 * The store on MongoDB, for any number of instances. Each step is atomic because it commits with one write to
 * one document. It uses no transactions, so it works with a standalone server and on a sharded cluster. Every
 * step throws StoreUnavailableError if the database cannot be reached in time.
 */
export function mongoStore(db: Database, time: StoreTime): Store {
  const reports = new Reports();
  const writer = new Writer(db, time, reports);
  const catalogue = new Catalogue(db);
  const outbox = new Outbox(db);
  const lines = new Lines(db, time, { writer, reports, outbox });
  const entries = new Entries(db, time, catalogue, lines);
  const appointments = new Appointments(db);
  const idempotency = new Idempotency(db, time, writer);
  const auditOrder = new AuditOrder();
  const businesses = new Businesses(db, catalogue);
  const importer = new Importer(db, time);
  const queues = new Queues(db, catalogue);
  const services = new Services(db, catalogue);
  const loader = new Loader(db, lines);
  const dumps = new Dumps(db, time);
  const maintenance = new Maintenance(db, time, catalogue, importer);
  const numbers = new Numbers(db, time, lines);
  const tokens = new Tokens(db, { catalogue, entries, lines, numbers, idempotency, auditOrder });
  const transfers = new Transfers(db, { catalogue, lines, numbers, tokens, outbox });

  async function importAll(imports: readonly BusinessImport[], options: ImportOptions) {
    try {
      return await importer.import(imports, options);
    } finally {
      // An import may have replaced what was remembered.
      catalogue.forgetAll();
      idempotency.forget();
      entries.forgetCursors();
      appointments.forgetCursors();
    }
  }

  async function now(): Promise<number> {
    const now = await db.now(time.expression());
    time.observe(now);
    return now;
  }

  const pending = new Set<Promise<unknown>>();
  function step<Result>(run: () => Promise<Result>): Promise<Result> {
    const running = reaching(run).finally(() => pending.delete(running));
    pending.add(running);
    return running;
  }

  const store: Store = {
    admission: bound(new AdmissionControl(db, time, catalogue), "admit", "signInWindow"),
    idempotency: bound(idempotency, "claim", "release", "endLease"),
    audit: bound(new Audit(db, time, auditOrder), "append", "page"),

    businesses: {
      ...bound(businesses, "list", "get", "bySlug", "byDisplay", "idOf", "change"),
      import: importAll,
    },
    keys: bound(new Keys(db, time, catalogue), "list", "add", "change", "revoke"),
    queues: {
      list: (businessId) => catalogue.queues(businessId),
      day: (businessId, queueId, date) => entries.queueDay(businessId, queueId, date),
      ...bound(queues, "add", "change"),
    },
    services: {
      list: (businessId) => catalogue.services(businessId),
      ...bound(services, "add", "change"),
    },
    entries: {
      ...bound(entries, "get", "page", "list"),
      ...bound(tokens, "issue", "setPriority", "callIfNext", "callNext"),
      ...bound(transfers, "move", "transfer"),
    },
    appointments: bound(appointments, "get", "page", "add", "change"),
    boards: bound(new Boards(db, { time, catalogue, entries, lines }), "get", "version"),
    statistics: bound(new Statistics(db, catalogue), "entryTimes"),

    accounts: bound(
      new Accounts(db, time),
      ...(["list", "byEmail", "add", "remove", "replacePasswordLink", "byPasswordLink"] as const),
      ...(["setPassword", "changePassword"] as const),
    ),
    signIns: bound(new SignIns(db, time), "admit", "forgive"),
    sessions: bound(new Sessions(db, time, catalogue), "start", "get", "end", "endAll"),

    monitoring: { linesByDay: (dates) => linesByDay(db, dates) },
    copying: {
      async dump(kind, after) {
        if (after === null) {
          await writer.flush();
          await outbox.deliverAll(null);
        }
        return dumps.read(kind, after);
      },
      load: (kind, records, offset) => loader.load(kind, records, offset),
      finish: () => loader.end(),
    },
    maintenance: {
      async prune() {
        await writer.flush(); // pending writes may extend the life of records that would be removed
        return maintenance.prune();
      },
    },

    now,
    async ping() {
      await now();
    },
    /** Waits until pending steps are done, then writes what can wait, and closes the connection. */
    async close() {
      while (pending.size > 0) await Promise.allSettled(pending);
      await writer.close();
      await maintenance.close().catch(() => {}); // its lease then expires
      await db.connection.close();
    },
  };

  return wrapStore(store, (name, operation) =>
    name === "close"
      ? operation
      : (...given) => step(() => operation(...given) as Promise<unknown>),
  );
}
