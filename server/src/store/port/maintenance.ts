/** The number of removed records of each kind. */
export interface PruneReport {
  readonly auditRows: number;
  readonly idempotencyRecords: number;
  readonly windows: number;
  /** Sessions of owners. */
  readonly sessions: number;
  readonly passwordLinks: number;
}

/** Housekeeping. */
export interface MaintenanceStore {
  /**
   * Removes expired records: audit rows, idempotency records, windows, sessions and password links. Removes
   * at most a few thousand of each kind per call.
   */
  prune(): Promise<PruneReport>;
}
