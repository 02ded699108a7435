import { type AuditFilter, sumName } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import { readPlace, writePlace } from "../audit-place.js";
import type { AuditPage } from "../port/audit.js";
import type { PageRequest } from "../port/page.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type AuditColumns, auditColumns, readAuditRow, writeAuditRow } from "./records.js";

/**
 * The number of rows that one step examines, so that a search for rare rows does not block other steps for
 * long.
 */
const reach = 10_000;

type PlaceRow = [at: number, position: number];

/** The audit log, ordered by time. Of two rows with the same time, the one stored later is newer. */
export function prepareAudit(db: Connection) {
  const columns =
    "business_id, key_id, at, method, path, status, ip, request_id, count, last_at, account";
  const insert = db.command(`
    INSERT INTO audit (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  // Many rows in one statement, because a call for each row would cost more than writing it.
  const values = Array.from({ length: 11 }, (_, column) => `value ->> ${column}`).join(", ");
  const insertAll = db.command(`
    INSERT INTO audit (${columns}) SELECT ${values} FROM json_each(?)`);
  // The twin of `withSum`.
  const ofTheLast = (column: string) =>
    `${column} = iif(excluded.last_at >= last_at, excluded.${column}, ${column})`;
  const addSums = db.command(`
    INSERT INTO audit (${columns}, sum_name) SELECT ${values}, value ->> 11 FROM json_each(?)
    WHERE true
    ON CONFLICT (sum_name) WHERE sum_name IS NOT NULL DO UPDATE SET
      ${["method", "path", "ip", "request_id"].map(ofTheLast).join(", ")},
      count = count + excluded.count, last_at = max(last_at, excluded.last_at)`);
  const part = `business_id = ?1 AND (at, position) < (?2, ?3) AND (at, position) >= (?4, ?5)`;
  const order = "ORDER BY at DESC, position DESC";
  const endOfReach = db.query<PlaceRow>(
    `SELECT json_array(at, position) FROM audit WHERE ${part} ${order} LIMIT 1 OFFSET ${reach - 1}`,
  );
  const find = db.query<[AuditColumns, PlaceRow][]>(
    list(
      (r) => `json_array(${auditColumns(r)}), json_array(${r}.at, ${r}.position)`,
      "audit",
      `WHERE ${part} AND (?6 IS NULL OR key_id = ?6) AND status >= ?7 AND status <= ?8
         AND substr(path, 1, length(?9)) = ?9
       ${order} LIMIT ?10`,
    ),
  );

  /** The part of the log to search: before one place, and from another one on. */
  function partOf({ from, until }: AuditFilter, after: PlaceRow | null): [PlaceRow, PlaceRow] {
    const end: PlaceRow = [until ?? Number.MAX_SAFE_INTEGER, 0];
    const before = after === null || isOlder(end, after) ? end : after;
    return [before, [from ?? 0, 0]];
  }

  return {
    append(row: AuditRow): void {
      insert(...writeAuditRow(row));
    },

    appendAll(rows: readonly AuditRow[]): void {
      const [alone, sums] = [
        rows.filter(({ sum }) => sum === null),
        rows.filter(({ sum }) => sum !== null),
      ];
      insertAll(JSON.stringify(alone.map(writeAuditRow)));
      if (sums.length === 0) return;
      addSums(JSON.stringify(sums.map((row) => [...writeAuditRow(row), sumName(row)])));
    },

    page(
      businessId: string,
      filter: AuditFilter,
      { limit, after }: PageRequest,
    ): AuditPage | "cursor_unknown" {
      const place = after === null ? null : readPlace(after);
      if (after !== null && place === null) return "cursor_unknown";
      const [before, from] = partOf(filter, place && [place.at, Number(place.mark)]);
      const { keyId, status, pathPrefix } = filter;
      const { first, last } = status ?? { first: 0, last: 999 };
      return db.reading(() => {
        const end = endOfReach(businessId, ...before, ...from);
        const found =
          find(
            ...[businessId, ...before, ...(end ?? from)],
            ...[keyId, first, last, pathPrefix ?? "", limit + 1],
          ) ?? [];
        const page = found.slice(0, limit);
        const stop = found.length > limit ? page.at(-1)?.[1] : end;
        return { rows: page.map(([row]) => readAuditRow(row)), next: stop ? cursorOf(stop) : null };
      });
    },
  };
}

export type Audit = ReturnType<typeof prepareAudit>;

function isOlder([at, position]: PlaceRow, than: PlaceRow): boolean {
  return at < than[0] || (at === than[0] && position < than[1]);
}

function cursorOf([at, mark]: PlaceRow): string {
  return writePlace({ at, mark });
}
