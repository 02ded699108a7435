import { type Ahead, type LinePace, type Work, waitsOf } from "../../rules/line.js";
import { listDay } from "../../rules/list-day.js";
import type { Entry, Queue } from "../../rules/records.js";
import type { EntryInLine } from "../../rules/resources.js";
import type { QueueStore, StatusCounts } from "../port/business.js";
import type { EntryStore } from "../port/entries.js";
import type { Connection } from "./connection.js";
import { aheadOf, countsOf, givenDay, inDay, Places, paceOf } from "./line.js";
import { entries, entryColumns, priorityLead, queueColumns, queues } from "./schema.js";
import type { Steps } from "./steps.js";

interface CountedDay {
  readonly queue: Queue;
  readonly counts: Partial<StatusCounts>;
  readonly pace: LinePace;
  readonly work: Work[];
}

/** What is ahead of an entry with and without priority that has a given number, and the pace. */
type CountedPlace = [first: Ahead, others: Ahead, pace: LinePace];

type Day = readonly [businessId: string, queueId: string, date: string];

const none: StatusCounts = { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 };

/** Reads the days of queues and their entries. */
export function prepareEntries(
  db: Connection,
): Pick<Steps<EntryStore>, "get" | "byIds" | "page"> & Pick<Steps<QueueStore>, "day"> {
  const day = { businessId: "e.business_id", queueId: "e.queue_id", date: "e.date" };
  // The join hides entries that no business names.
  const find = db.query<EntryInLine>(`
    SELECT json_object('entry', ${entries.json("e", entryColumns)},
      'line', CASE WHEN e.status = 'WAITING' THEN json_object(
        'ahead', ${aheadOf(day, "e.line_order")}, 'pace', ${paceOf(day)}) END)
    FROM entries e JOIN queues q ON q.id = e.queue_id WHERE e.id = ? AND e.business_id = ?`);
  const findAll = entries.list<Entry>(
    db,
    `WHERE id IN (SELECT value FROM json_each(?2)) AND business_id = ?1
      AND queue_id IN (SELECT q.id FROM queues q WHERE q.business_id = ?1) LIMIT -1`,
    entryColumns,
  );
  const findDay = db.query<CountedDay>(`
    SELECT json_object('queue', ${queues.json("q", queueColumns)},
      'counts', ${countsOf(givenDay)}, 'pace', ${paceOf(givenDay)},
      'work', (SELECT json_group_array(work_minutes) FROM (
        SELECT work_minutes FROM entries INDEXED BY entries_waiting
        WHERE ${inDay(givenDay)} AND status = 'WAITING' ORDER BY line_order LIMIT -1)))
    FROM queues q WHERE q.business_id = ?1 AND q.id = ?2`);

  const aQueue = "SELECT json_array(id) FROM queues WHERE business_id = ?1 AND id = ?2";
  const findQueue = db.query<[string]>(aQueue);
  const findCursor = db.query<[date: string, tokenNumber: number]>(`
    SELECT json_array(date, token_number) FROM entries
    WHERE id = ? AND queue_id = ? AND business_id = ?`);
  const placesAt = db.query<CountedPlace>(`
    SELECT json_array(${aheadOf(givenDay, `?4 - ${priorityLead}`)},
      ${aheadOf(givenDay, "?4")}, ${paceOf(givenDay)})`);

  /** Entries of a day in token order with their places, in one pass over the line. */
  function inLine(found: readonly Entry[], day: Day): EntryInLine[] {
    const next = found.find(({ status }) => status === "WAITING");
    const counted = next && placesAt(...day, next.tokenNumber);
    if (!counted) return found.map((entry) => ({ entry, line: null }));
    const [first, others, pace] = counted;
    const places = new Places(first, others);
    return found.map((entry) => ({
      entry,
      line: entry.status === "WAITING" ? { ahead: places.next(entry), pace } : null,
    }));
  }

  const after = `token_number > ?4 AND EXISTS (${aQueue}) ORDER BY token_number LIMIT ?5`;
  const ofDay = entries.list<Entry>(db, `WHERE ${inDay(givenDay)} AND ${after}`, entryColumns);
  const ofStatus = entries.list<Entry>(
    db,
    `INDEXED BY entries_by_status WHERE ${inDay(givenDay)} AND status = ?6 AND ${after}`,
    entryColumns,
  );

  return {
    get: (businessId, entryId) => find(entryId, businessId),

    byIds: (businessId, entryIds) => findAll(businessId, JSON.stringify(entryIds)),

    day(businessId, queueId, date) {
      const found = findDay(businessId, queueId, date);
      if (!found) return null;
      const { queue, counts, pace, work } = found;
      return { queue, counts: { ...none, ...counts }, pace, ...waitsOf(work, pace) };
    },

    page(businessId, queueId, asked, status, { after, limit, orEarlier = false }) {
      const cursor =
        after === null ? ([asked, 0] as const) : findCursor(after, queueId, businessId);
      const date = cursor && listDay(asked, cursor[0], orEarlier);
      if (!cursor || date === null) {
        return findQueue(businessId, queueId) ? "cursor_unknown" : "queue_not_found";
      }
      const day = [businessId, queueId, date] as const;
      const part = [...day, cursor[1], limit + 1] as const;
      const found = status === null ? ofDay(...part) : ofStatus(...part, status);
      if (found.length === 0 && !findQueue(businessId, queueId)) return "queue_not_found";
      const items = found.slice(0, limit);
      return { items: inLine(items, day), more: found.length > limit };
    },
  };
}
