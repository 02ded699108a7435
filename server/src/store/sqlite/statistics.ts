import type { EntryStatus } from "@queue-api/contract";
import type { EntryTimes } from "../../rules/statistics.js";
import type { Part } from "../port/page.js";
import type { DayRange } from "../port/statistics.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";

/** The number of entries that one step reads. Other steps run between two of them. */
const step = 500;

type LineRow = [id: number, queueId: string, date: string];
type TimesRow = [
  tokenNumber: number,
  status: EntryStatus,
  issuedAt: number,
  startedAt: number | null,
  completedAt: number | null,
  serviceId: string | null,
  transferredTo: string | null,
  transferredFrom: string | null,
];

/** The place of an entry in a business: its day, line and number. */
type Place = [date: string, lineId: number, tokenNumber: number];

/** Reads the fields of entries that statistics need, line by line. */
export function prepareStatistics(db: Connection) {
  const linesFrom = db.query<LineRow[]>(
    list(
      (l) => `${l}.id, ${l}.queue_id, ${l}.date`,
      "lines",
      `WHERE business_id = ?1 AND (date, id) >= (?2, ?3) AND date <= ?4
         AND (?5 IS NULL OR queue_id = ?5) ORDER BY date, id LIMIT -1`,
    ),
  );
  const timesAfter = db.query<TimesRow[]>(
    list(
      (e) => `${e}.token_number, ${e}.status, ${e}.issued_at, ${e}.started_at, ${e}.completed_at,
        ${e}.service_id, ${e}.transferred_to, ${e}.transferred_from`,
      "entries",
      "WHERE line_id = ? AND token_number > ? ORDER BY token_number LIMIT ?",
    ),
  );

  return {
    entryTimes(
      businessId: string,
      { first, last }: DayRange,
      inQueue: string | null,
      after: string | null,
    ): Part<EntryTimes> {
      const place = after === null ? null : (JSON.parse(after) as Place);
      const [from, fromLine, fromNumber] = place ?? [first, 0, -1];
      const items: EntryTimes[] = [];
      for (const line of linesFrom(businessId, from, fromLine, last, inQueue) ?? []) {
        const [lineId, queueId, date] = line;
        const number = lineId === fromLine ? fromNumber : -1;
        const rows = timesAfter(lineId, number, step - items.length) ?? [];
        for (const [, status, issuedAt, startedAt, completedAt, serviceId, ...links] of rows) {
          const times = { issuedAt, startedAt, completedAt };
          const [transferredTo, transferredFrom] = links;
          items.push({
            ...{ queueId, serviceId, date, status, ...times, transferredTo, transferredFrom },
          });
        }
        if (items.length === step) {
          const next: Place = [date, lineId, rows.at(-1)?.[0] ?? number];
          return { items, next: JSON.stringify(next) };
        }
      }
      return { items, next: null };
    },
  };
}
