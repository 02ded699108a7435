import type { AppointmentStore } from "./port/appointments.js";
import type { BoardStore } from "./port/boards.js";
import type { BusinessStore, KeyStore, QueueStore, ServiceStore } from "./port/business.js";
import type { EntryStore } from "./port/entries.js";
import type { ImportStore, MaintenanceStore } from "./port/imports.js";
import type { AccountStore, SessionStore, SignInStore } from "./port/owners.js";
import type { AdmissionStore, AuditStore } from "./port/requests.js";
import type { MonitoringStore, StatisticsStore } from "./port/statistics.js";

/**
 * The port between the service and its database. Each operation is one atomic step: it ends in one write of one
 * record, which happens whole or not at all. An operation on a business's data takes the business id first, so
 * that an unscoped query cannot be written. An adapter contains no rules: if a step depends on a decision, the
 * adapter reads the facts and calls the pure function in `rules/` within the step.
 *
 * Every argument and every result is a plain record that `structuredClone` can copy, so that an adapter can
 * run in another thread: no functions, no iterators. Long results are read in parts; see `everyPart`.
 *
 * Windows and expiry use the store's own clock. Every other time is an argument.
 */
export interface Store {
  // API requests
  readonly admission: AdmissionStore;
  readonly audit: AuditStore;

  // A business and its queues
  readonly businesses: BusinessStore;
  readonly keys: KeyStore;
  readonly queues: QueueStore;
  readonly services: ServiceStore;
  readonly entries: EntryStore;
  readonly appointments: AppointmentStore;
  readonly boards: BoardStore;
  readonly statistics: StatisticsStore;

  // Owners
  readonly accounts: AccountStore;
  readonly signIns: SignInStore;
  readonly sessions: SessionStore;

  // Operation of the service
  readonly monitoring: MonitoringStore;
  readonly imports: ImportStore;
  readonly maintenance: MaintenanceStore;

  /** The store's time. */
  now(): Promise<number>;
  /** Fails if the database cannot respond. */
  ping(): Promise<void>;
  /** Waits until pending steps are done, then closes the database. */
  close(): Promise<void>;
}
