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

/** Housekeeping. */
export interface MaintenanceStore {
  /**
   * Removes expired records: audit rows, idempotency keys, windows, sessions and password links. Removes
   * at most a few thousand of each kind per call.
   */
  prune(): Promise<PruneReport>;
}
