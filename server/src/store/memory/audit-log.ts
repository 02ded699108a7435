import { isAskedFor, readPlace, sumName, withSum, writePlace } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import { pruneStep } from "../port/imports.js";
import type { AuditStore } from "../port/requests.js";

interface KeptRow {
  /** Its sequence number among all rows that its business ever stored. */
  readonly mark: number;
  /** Mutable, because requests are added to a sum. */
  row: AuditRow;
}

/** The number of rows that one step examines. */
const reach = 10_000;

/** The rows of one business, in the order in which they were stored. */
interface Log {
  readonly rows: KeptRow[];
  lastMark: number;
}

/** The audit logs of all businesses. */
export class AuditLog {
  readonly #logs = new Map<string, Log>();

  rows(businessId: string): AuditRow[] {
    return this.#log(businessId).rows.map(({ row }) => row);
  }

  add(row: AuditRow): void {
    const log = this.#log(row.businessId);
    const name = sumName(row);
    const known = row.sum && log.rows.find((kept) => kept.row.sum && sumName(kept.row) === name);
    if (known) {
      known.row = withSum(known.row, row);
      return;
    }
    log.lastMark += 1;
    log.rows.push({ mark: log.lastMark, row });
  }

  append: AuditStore["append"] = async (rows) => {
    for (const row of rows) this.add(row);
  };

  page: AuditStore["page"] = async (businessId, filter, { limit, after }) => {
    const start = after === null ? null : readPlace(after);
    if (after !== null && start === null) return "cursor_unknown";
    const isAfter = ({ row: { at }, mark }: KeptRow) =>
      !start || at < start.at || (at === start.at && mark < Number(start.mark));
    const rest = this.#log(businessId)
      .rows.filter(isAfter)
      .sort((a, b) => b.row.at - a.row.at || b.mark - a.mark);
    const part = rest.slice(0, reach);
    const found = part.filter(({ row }) => isAskedFor(row, filter));
    const page = found.slice(0, limit);
    const end = rest.length > reach ? part.at(-1) : undefined;
    const last = found.length > limit ? page.at(-1) : end;
    return {
      items: page.map(({ row }) => row),
      next: last ? writePlace({ at: last.row.at, mark: last.mark }) : null,
    };
  };

  /** Removes rows older than `before`, at most a fixed number of them, and returns how many. */
  prune(before: number): number {
    let removed = 0;
    for (const log of this.#logs.values()) {
      for (let at = 0; at < log.rows.length && removed < pruneStep; ) {
        if ((log.rows[at]?.row.at ?? before) >= before) at++;
        else removed += log.rows.splice(at, 1).length;
      }
    }
    return removed;
  }

  removeAll(businessId: string): void {
    this.#logs.delete(businessId);
  }

  #log(businessId: string): Log {
    const known = this.#logs.get(businessId);
    if (known) return known;
    const log: Log = { rows: [], lastMark: 0 };
    this.#logs.set(businessId, log);
    return log;
  }
}
