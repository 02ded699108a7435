import type {
  Appointment,
  AuditRow,
  Business,
  Entry,
  EntryKey,
  KeyInUse,
  Owner,
  Queue,
  Service,
} from "../../rules/records.js";
import type { Part } from "./page.js";

/** A business with its queues, services, keys and accounts: what is written last, as the commit. */
export interface BusinessHead {
  readonly business: Business;
  readonly queues: readonly Queue[];
  readonly services: readonly Service[];
  readonly keys: readonly KeyInUse[];
  readonly accounts: readonly Owner[];
}

/** The records of a business that are many, by kind. */
export interface BusinessRecords {
  /** Entries with the idempotency keys that they hold. */
  readonly entries: { readonly entry: Entry; readonly keyed: EntryKey | null };
  readonly appointments: Appointment;
  readonly audit: AuditRow;
}

export type RecordKind = keyof BusinessRecords;

/** The maximum number of records in a part, so that other steps do not wait long for it. */
export const importPart = 500;

/** How long an import may take from one part to the next, and to its commit, in milliseconds. */
export const importPauseMs = 3_600_000;

export type ImportOutcome = "imported" | "slug_exists";

/**
 * Importing and exporting whole businesses. Records come first, in any number of parts. The head comes last
 * and is the commit: before it nobody sees them. `prune` removes what no business names an hour after its
 * last part, and the import can then not go on. Sessions and windows are not copied: they expire within hours, and owners can sign in again.
 */
export interface ImportStore {
  /** Begins the import of a business that does not exist yet, or begins again one that was interrupted. */
  begin(businessId: string): Promise<void>;
  /**
   * Stores at most {@link importPart} records of a business whose import began. `offset` is the number of
   * records of that kind before them. Storing the same part again changes nothing.
   */
  add<K extends RecordKind>(
    businessId: string,
    kind: K,
    records: readonly BusinessRecords[K][],
    offset: number,
  ): Promise<void>;
  /**
   * Makes the business exist. If its slug is taken, it replaces that business with all its records if
   * `replace` is true, and else is refused.
   */
  commit(head: BusinessHead, options: { readonly replace: boolean }): Promise<ImportOutcome>;

  /** The head of a business; null if it does not exist. */
  head(businessId: string): Promise<BusinessHead | null>;
  /** Reads the records of one kind: the part at a `next`, or (null) the first one. */
  read<K extends RecordKind>(
    businessId: string,
    kind: K,
    after: string | null,
  ): Promise<Part<BusinessRecords[K]>>;

  /** Marks the database as the target of a copy, on which no service starts, or removes the mark. */
  markCopying(isCopying: boolean): Promise<void>;
  /** Whether the database is the target of a copy that did not end. */
  isCopying(): Promise<boolean>;
}

/** The number of removed records of each kind. */
export interface PruneReport {
  readonly auditRows: number;
  /** Idempotency keys, in the entries that held them. */
  readonly idempotencyKeys: number;
  readonly windows: number;
  /** Sessions of owners. */
  readonly sessions: number;
  readonly passwordLinks: number;
  /** Records that no business names: of an import that did not end, or of a business that was replaced. */
  readonly unnamed: number;
}

/**
 * The maximum number of records of each kind that one call of `prune` removes, so that other steps do not
 * wait long for it.
 */
export const pruneStep = 2_000;

/** Housekeeping. */
export interface MaintenanceStore {
  /**
   * Removes expired records: audit rows, idempotency keys, windows, sessions and password links. Removes
   * at most a few thousand of each kind per call.
   */
  prune(): Promise<PruneReport>;
}
