import { setImmediate } from "node:timers/promises";
import {
  type AuditFilter,
  type AuditPosition,
  isAskedFor,
  readAuditCursor,
  sumName,
  withSum,
  writeAuditCursor,
} from "../rules/audit.js";
import type { Page, PageRequest } from "../rules/list.js";
import type { AuditRow } from "../rules/records.js";
import type { Port, Tx, ViewTx } from "../store/port.js";
import type { AuditRecord, Stored } from "../store/tables.js";
import { view } from "./operation.js";

/** How many rows one page looks through by default, so that a card on the board costs little in a busy business. */
const shortReach = 10_000;

/** How many rows are read at a time. */
const batchSize = 500;

/** A row with the id that it has in the log. */
type NumberedRow = AuditRow & Pick<AuditRecord, "id">;

/** The audit log. */
export const audit = {
  /** Gives rows their ids, so that they can be stored again if the result of `append` is unknown. */
  withIds(port: Port) {
    return (rows: readonly (AuditRow | NumberedRow)[]) => port.read((tx) => withIds(tx, rows));
  },

  /**
   * Stores rows, in order. A sum is added to the one with its name. A row without an id gets one; a row whose id is
   * stored stays as it is.
   */
  append(port: Port) {
    return async (rows: readonly (AuditRow | NumberedRow)[]): Promise<void> => {
      const numbered = await port.read((tx) => withIds(tx, rows));
      const single = numbered.filter(({ sum }) => sum === null);
      if (single.length > 0) await port.append("audit", single.map(auditRecord));
      for (const row of numbered.filter(({ sum }) => sum !== null)) {
        await port.run((tx) => addSum(tx, row), { isDurable: false });
      }
    };
  },

  /**
   * The rows that match, newest first. Of two rows with the same time, the one stored later comes first. One page looks
   * through at most about `reach` rows, so a page with a `nextCursor` may have fewer rows than the limit, or none.
   */
  page: view(
    async (
      tx,
      businessId: string,
      filter: AuditFilter,
      { limit, after }: PageRequest,
      reach: number = shortReach,
    ): Promise<Page<AuditRow> | "cursor_unknown"> => {
      const start = after === null ? null : readAuditCursor(after);
      if (after !== null && start === null) return "cursor_unknown";
      const rows: Stored<"audit">[] = [];
      let position = start;
      for (let looked = 0; looked < reach && rows.length <= limit; looked += batchSize) {
        const found = await readBatch(tx, businessId, filter, position);
        rows.push(...found.filter((row) => isAskedFor(row, filter)));
        position = found.length === batchSize ? (found.at(-1) ?? null) : null;
        if (!position) break;
        await setImmediate(); // lets other requests run, because an embedded database responds without waiting
      }
      const items = rows.slice(0, limit);
      const next = rows.length > limit ? (items.at(-1) ?? null) : position;
      return { items: items.map(rowOf), nextCursor: next && writeAuditCursor(next) };
    },
  ),
};

/** A row that has an id keeps it. */
async function withIds(
  tx: ViewTx,
  rows: readonly (AuditRow | NumberedRow)[],
): Promise<readonly NumberedRow[]> {
  return rows.map((row) => ("id" in row ? row : { ...row, id: tx.orderedId() }));
}

/** The row of a record. */
function rowOf(record: Stored<"audit">): AuditRow {
  const { id, sumName, version, ...row } = record;
  return row;
}

/** The record of a row. */
function auditRecord(row: NumberedRow): AuditRecord {
  return { ...row, sumName: row.sum ? sumName(row) : null };
}

function readBatch(
  tx: ViewTx,
  businessId: string,
  { from, until }: AuditFilter,
  position: AuditPosition | null,
): Promise<Stored<"audit">[]> {
  return tx.list("audit", {
    where: { businessId },
    order: ["at", "id"],
    descending: true,
    after: position && [position.at, position.id],
    from,
    to: until === null ? null : until - 1,
    limit: batchSize,
  });
}

/** Adds a sum. The last request tells whether it was added before. */
async function addSum(tx: Tx, row: NumberedRow): Promise<void> {
  const known = await tx.find("audit", { sumName: sumName(row) });
  if (!known) tx.insert("audit", auditRecord(row));
  else if (known.requestId !== row.requestId) {
    tx.update("audit", known, withSum(rowOf(known), row));
  }
}
