import { auditRetentionMs } from "../rules/audit.js";
import type { Port } from "../store/port.js";
import { copyMark, ending, importPauseMs } from "./imports.js";

/** The number of removed records of each kind. */
export interface RemovalReport {
  readonly auditRows: number;
  /** Idempotency keys, in the entries that held them. */
  readonly idempotencyKeys: number;
  readonly windows: number;
  /** Records of sessions of an account. */
  readonly sessions: number;
  /** Records that no business names: of an import that did not end, or of a business that was replaced. */
  readonly orphans: number;
}

/** How many records of each kind one call of `removeExpired` removes at most, so that others do not wait long for it. */
export const removalBatchSize = 2_000;

const nothing: RemovalReport = {
  auditRows: 0,
  idempotencyKeys: 0,
  windows: 0,
  sessions: 0,
  orphans: 0,
};

/** Housekeeping. */
export const maintenance = {
  /**
   * Removes expired records: audit rows, idempotency keys, windows and sessions, and records that no business names.
   * Removes nothing while the clock is not trusted.
   */
  removeExpired(port: Port) {
    return async (): Promise<RemovalReport> => {
      await port.maintain();
      const now = port.removalTime();
      if (now === null) return nothing;
      const limit = removalBatchSize;
      return {
        auditRows: await port.removeExpired("audit", now - auditRetentionMs, limit),
        idempotencyKeys: await port.removeExpired("entries", now + 1, limit),
        windows: await port.removeExpired("windows", now + 1, limit),
        sessions: await port.removeExpired("sessions", now + 1, limit),
        orphans: await removeOrphans(port, now),
      };
    };
  },
};

/** Removes records that no business has named for an hour, and then that of their import. First it ends their import. */
async function removeOrphans(port: Port, now: number): Promise<number> {
  const imports = await port.read((tx) => tx.list("imports", { where: {}, limit: 1_000 }));
  let removed = 0;
  for (const { id, at } of imports) {
    if (id === copyMark || at + importPauseMs > now) continue;
    const isEnding = await port.run(async (tx) => {
      const record = await tx.find("imports", { id });
      if (record?.at !== at) return false; // it went on
      if (at !== ending) tx.update("imports", record, { at: ending });
      return true;
    });
    if (!isEnding) continue;
    const business = await port.read((tx) => tx.find("businesses", { id }));
    const tables = business ? [] : (["entries", "appointments", "sessions", "audit"] as const);
    for (const table of tables) {
      removed += await port.removeOfBusiness(table, id, removalBatchSize - removed);
      if (removed === removalBatchSize) return removed;
    }
    await port.run(async (tx) => {
      const record = await tx.find("imports", { id });
      if (record && record.at === ending) tx.remove("imports", record);
    });
  }
  return removed;
}
