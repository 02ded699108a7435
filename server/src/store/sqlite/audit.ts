import { type AuditFilter, readPlace, sumName, withSum, writePlace } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import type { AuditStore } from "../port/requests.js";
import type { Connection } from "./connection.js";
import { auditRow, audit as auditTable } from "./schema.js";
import { readOnce, type Steps } from "./steps.js";

/**
 * The number of rows that one step examines, so that a search for rare rows does not block other steps for
 * long.
 */
const reach = 10_000;

type Place = [at: number, position: number];

/** The audit logs of the businesses, ordered by time. Of two rows with the same time, the one stored later is newer. */
export function prepareAudit(db: Connection): Steps<AuditStore> {
  const insert = auditTable.insert(db);
  const lastPosition = db.query<[position: number]>(
    "SELECT json_array(ifnull(max(position), 0)) FROM audit WHERE business_id = ?",
  );
  const findSum = auditTable.find(db, "sum_name = ?");
  const update = auditTable.update(db, "sumName");
  const part = `business_id = ?1 AND (at, position) < (?2, ?3) AND (at, position) >= (?4, ?5)`;
  const order = "ORDER BY at DESC, position DESC";
  const endOfReach = db.query<Place>(
    `SELECT json_array(at, position) FROM audit WHERE ${part} ${order} LIMIT 1 OFFSET ${reach - 1}`,
  );
  const find = auditTable.list(
    db,
    `WHERE ${part} AND (?6 IS NULL OR key_id = ?6) AND status >= ?7 AND status <= ?8
       AND substr(path, 1, length(?9)) = ?9
     ${order} LIMIT ?10`,
  );

  /** The part of the log to search: before one place, and from another one on. */
  function partOf({ from, until }: AuditFilter, after: Place | null): [Place, Place] {
    const end: Place = [until ?? Number.MAX_SAFE_INTEGER, 0];
    const before = after === null || isOlder(end, after) ? end : after;
    return [before, [from ?? 0, 0]];
  }

  /** Inserts rows at the next positions in the logs of their businesses. */
  function insertAll(rows: readonly AuditRow[]): void {
    const last = new Map<string, number>();
    for (const row of rows) {
      const { businessId, sum } = row;
      const before = readOnce(last, businessId, () => lastPosition(businessId)?.[0] ?? 0);
      last.set(businessId, before + 1);
      insert({ position: before + 1, sumName: sum && sumName(row), ...row });
    }
  }

  function appendSum(row: AuditRow): void {
    const known = findSum(sumName(row));
    if (known) update(known, { ...known, ...withSum(known, row) });
    else insertAll([row]);
  }

  return {
    append(rows) {
      insertAll(rows.filter(({ sum }) => sum === null));
      for (const row of rows) if (row.sum) appendSum(row);
    },

    page(businessId, filter, { limit, after }) {
      const place = after === null ? null : readPlace(after);
      if (after !== null && place === null) return "cursor_unknown";
      const [before, from] = partOf(filter, place && [place.at, Number(place.mark)]);
      const { keyId, status, pathPrefix } = filter;
      const { first, last } = status ?? { first: 0, last: 999 };
      const end = endOfReach(businessId, ...before, ...from);
      const found = find(
        ...[businessId, ...before, ...(end ?? from)],
        ...[keyId, first, last, pathPrefix ?? "", limit + 1],
      );
      const page = found.slice(0, limit);
      const lastRow = found.length > limit ? page.at(-1) : undefined;
      const [at, mark] = lastRow ? [lastRow.at, lastRow.position] : (end ?? []);
      const next = at === undefined || mark === undefined ? null : writePlace({ at, mark });
      return { items: page.map(auditRow), next };
    },
  };
}

function isOlder([at, position]: Place, than: Place): boolean {
  return at < than[0] || (at === than[0] && position < than[1]);
}
