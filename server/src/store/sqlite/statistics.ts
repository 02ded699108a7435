import { setImmediate } from "node:timers/promises";
import type { EntryStatus } from "@queue-api/contract";
import type { EntryTimes } from "../../rules/statistics.js";
import type { DayRange } from "../port/statistics.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";

/** Entries that one step reads: requests under way are answered between two steps. */
const step = 500;

type LineRow = [id: number, queueId: string, date: string];
type TimesRow = [
  tokenNumber: number,
  status: EntryStatus,
  issuedAt: number,
  startedAt: number | null,
];

/** What statistics need of entries, line by line. */
export function prepareStatistics(db: Connection) {
  const linesOf = db.query<LineRow[]>(
    list(
      (l) => `${l}.id, ${l}.queue_id, ${l}.date`,
      "lines",
      `WHERE business_id = ?1 AND date >= ?2 AND date <= ?3
         AND (?4 IS NULL OR queue_id = ?4) LIMIT -1`,
    ),
  );
  const timesOf = db.query<TimesRow[]>(
    list(
      (e) => `${e}.token_number, ${e}.status, ${e}.issued_at, ${e}.started_at`,
      "entries",
      `WHERE line_id = ? AND token_number > ? ORDER BY token_number LIMIT ${step}`,
    ),
  );

  return async function* entryTimes(
    businessId: string,
    { first, last }: DayRange,
    inQueue: string | null,
  ): AsyncIterable<readonly EntryTimes[]> {
    for (const [lineId, queueId, date] of linesOf(businessId, first, last, inQueue) ?? []) {
      for (let after: number | undefined = -1; after !== undefined; ) {
        const rows: TimesRow[] = timesOf(lineId, after) ?? [];
        yield rows.map(([, status, issuedAt, startedAt]) => ({
          ...{ queueId, date },
          ...{ status, issuedAt, startedAt },
        }));
        after = rows.length === step ? rows.at(-1)?.[0] : undefined;
        await setImmediate();
      }
    }
  };
}
