import type { EntryStatus } from "@queue-api/contract";
import { type EntryInLine, encodedEntryList } from "../../rules/entry-answer.js";
import type { LinePace } from "../../rules/line.js";
import type { Page } from "../../rules/list-answer.js";
import { listDay } from "../../rules/list-day.js";
import type { PageRequest } from "../port/page.js";
import type { QueueDay } from "../port/queues.js";
import type { Connection } from "./connection.js";
import {
  type AheadRow,
  type PaceRow,
  Places,
  paceColumns,
  priorityWaiting,
  readPace,
  together,
  waitingBelow,
} from "./line.js";
import { list } from "./list.js";
import {
  type EntryPlace,
  type EntryRow,
  entryColumns,
  placeColumns,
  type QueueRow,
  queueColumns,
  readEntry,
  readQueue,
} from "./records.js";
import type { Waits } from "./waits.js";

/** The columns of a line that a list needs. */
type LineHead = [id: number, pace: PaceRow, priorityWaiting: AheadRow];

/** The place before the first item of a list. */
const beforeAll = (date: string): [date: string, tokenNumber: number] => [date, 0];

const noPace: LinePace = { inService: 0, finished: 0, finishedMs: 0 };

const lineHead = (l: string) =>
  `iif(${l}.id IS NULL, NULL,
    json_array(${l}.id, json_array(${paceColumns(l)}), ${priorityWaiting(l)}))`;

/** Reads the days of queues and their entries. */
export function prepareEntries(db: Connection, waits: Waits) {
  const findEntry = db.query<
    [EntryRow, EntryPlace, PaceRow, priorityWaiting: AheadRow, below: AheadRow[] | null]
  >(`
    SELECT json_array(
      json_array(${entryColumns("e")}),
      json_array(${placeColumns("l")}),
      json_array(${paceColumns("l")}),
      iif(e.priority = 1, json_array(0, 0, 0), ${priorityWaiting("l")}),
      CASE WHEN e.status = 'WAITING' THEN ${waitingBelow("e.line_id", "e.priority", "e.token_number")} END)
    FROM entries e JOIN lines l ON l.id = e.line_id
    WHERE e.id = ? AND l.business_id = ?`);

  const findDay = db.query<[QueueRow, counts: number[] | null, PaceRow, line: number | null]>(`
    SELECT json_array(
      json_array(${queueColumns("q")}),
      json_array(l.waiting, l.in_service, l.completed, l.canceled, l.no_show),
      json_array(${paceColumns("l")}),
      l.id)
    FROM queues q LEFT JOIN lines l ON l.queue_id = q.id AND l.date = ?
    WHERE q.id = ? AND q.business_id = ?`);

  const findCursor = db.query<[date: string, tokenNumber: number]>(`
    SELECT json_array(l.date, e.token_number) FROM entries e JOIN lines l ON l.id = e.line_id
    WHERE e.id = ? AND l.queue_id = ? AND l.business_id = ?`);
  const findList = db.query<[LineHead | null]>(`
    SELECT json_array(${lineHead("l")})
    FROM queues q LEFT JOIN lines l ON l.queue_id = q.id AND l.date = ?
    WHERE q.id = ? AND q.business_id = ?`);
  const after = "token_number > ? ORDER BY token_number LIMIT ?";
  const pageOfAll = db.query<EntryRow[]>(
    list(entryColumns, "entries", `WHERE line_id = ? AND ${after}`),
  );
  // Otherwise SQLite scans the day by number, which is slow for a rare status.
  const pageOfStatus = db.query<EntryRow[]>(
    list(
      entryColumns,
      "entries INDEXED BY entries_by_status",
      `WHERE line_id = ? AND status = ? AND ${after}`,
    ),
  );
  const placesAt = db.query<[first: AheadRow[], others: AheadRow[]]>(
    `SELECT json_array(${waitingBelow("?1", "1", "?2")}, ${waitingBelow("?1", "0", "?2")})`,
  );

  /** The page's entries with their places. */
  function inLine(
    rows: readonly EntryRow[],
    place: EntryPlace,
    [lineId, paceRow, priorityWaiting]: LineHead,
  ): EntryInLine[] {
    const pace = readPace(paceRow);
    const entries = rows.map((row) => readEntry(row, place));
    const next = entries.find((entry) => entry.status === "WAITING");
    if (!next) return entries.map((entry) => ({ entry, line: null }));
    const [first, others] = placesAt(lineId, next.tokenNumber) ?? [[], []];
    const places = new Places(together(first), together([priorityWaiting, ...others]));
    return entries.map((entry) => ({
      entry,
      line: entry.status === "WAITING" ? { ahead: places.next(entry), pace } : null,
    }));
  }

  function queueDayNow(businessId: string, queueId: string, date: string): QueueDay | null {
    const found = findDay(date, queueId, businessId);
    if (!found) return null;
    const [queue, counts, pace, line] = found;
    const [WAITING = 0, IN_SERVICE = 0, COMPLETED = 0, CANCELED = 0, NO_SHOW = 0] =
      line === null ? [] : (counts ?? []);
    const day = {
      queue: readQueue(queue),
      counts: { WAITING, IN_SERVICE, COMPLETED, CANCELED, NO_SHOW },
    };
    if (line === null) return { ...day, pace: noPace, averageWaitMinutes: null };
    const known = readPace(pace);
    return { ...day, pace: known, averageWaitMinutes: waits.average(line, known) };
  }

  function page(
    businessId: string,
    queueId: string,
    asked: string,
    status: EntryStatus | null,
    { after, limit, orEarlier = false }: PageRequest,
  ): Page<EntryInLine> | "queue_not_found" | "cursor_unknown" {
    return db.reading(() => {
      const cursor = after === null ? beforeAll(asked) : findCursor(after, queueId, businessId);
      const date = cursor && listDay(asked, cursor[0], orEarlier);
      const found = findList(date ?? asked, queueId, businessId);
      if (!found) return "queue_not_found";
      if (!cursor || date === null) return "cursor_unknown";
      const [head] = found;
      if (!head) return { items: [], more: false };
      const [line] = head;
      const [, number] = cursor;
      const rows =
        (status === null
          ? pageOfAll(line, number, limit + 1)
          : pageOfStatus(line, status, number, limit + 1)) ?? [];
      const items = inLine(rows.slice(0, limit), [businessId, queueId, date], head);
      return { items, more: rows.length > limit };
    });
  }

  return {
    get(businessId: string, entryId: string): EntryInLine | null {
      const found = findEntry(entryId, businessId);
      if (!found) return null;
      const [row, place, pace, priorityWaiting, below] = found;
      const entry = readEntry(row, place);
      if (!below) return { entry, line: null };
      return {
        entry,
        line: { ahead: together([priorityWaiting, ...below]), pace: readPace(pace) },
      };
    },

    queueDay(businessId: string, queueId: string, date: string): QueueDay | null {
      return db.reading(() => queueDayNow(businessId, queueId, date));
    },

    /** Like `queueDay`, for callers that already have a read transaction. */
    queueDayNow,

    page,

    list: (...asked: Parameters<typeof page>) => encodedEntryList(page(...asked)),
  };
}

export type Entries = ReturnType<typeof prepareEntries>;
