/** How much was removed. */
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
   * Removes what has expired: audit rows, idempotency records, windows, sessions and password links. At
   * most some thousands of each at once.
   */
  prune(): Promise<PruneReport>;
}
