import { type EntryInLine, encodedEntryList } from "../../rules/entry-answer.js";
import { type Ahead, averageWait, packWork, type Work } from "../../rules/line.js";
import { listDay } from "../../rules/list-day.js";
import type { Entry, Queue } from "../../rules/records.js";
import type { QueueStore } from "../port/business.js";
import type { EntryStore } from "../port/entries.js";
import type { Connection } from "./connection.js";
import {
  aheadOf,
  givenDay,
  inDay,
  Places,
  readCounts,
  readPace,
  type StatusRow,
  statusesOf,
} from "./line.js";
import { entries, entryColumns, priorityLead, queueColumns, queues } from "./schema.js";
import type { Steps } from "./steps.js";

interface CountedEntry {
  readonly entry: Entry;
  /** Null unless the entry is waiting. */
  readonly line: { readonly ahead: Ahead; readonly pace: StatusRow[] } | null;
}

interface CountedDay {
  readonly queue: Queue;
  readonly statuses: StatusRow[];
  readonly work: Work[];
}

/** What is ahead of an entry with and without priority that has a given number, and the pace. */
interface CountedPlace {
  readonly first: Ahead;
  readonly others: Ahead;
  readonly pace: StatusRow[];
}

/** The place before the first item of a list. */
const beforeAll = (date: string): [date: string, tokenNumber: number] => [date, 0];

/** Reads the days of queues and their entries. */
export function prepareEntries(
  db: Connection,
): Pick<Steps<EntryStore>, "get" | "byIds" | "page" | "list"> & Pick<Steps<QueueStore>, "day"> {
  const day = { businessId: "e.business_id", queueId: "e.queue_id", date: "e.date" };
  // The join hides entries that no business names.
  const find = db.query<CountedEntry>(`
    SELECT json_object('entry', ${entries.json("e", entryColumns)},
      'line', CASE WHEN e.status = 'WAITING' THEN json_object(
        'ahead', ${aheadOf(day, "e.line_order")}, 'pace', ${statusesOf(day, "pace")}) END)
    FROM entries e JOIN queues q ON q.id = e.queue_id WHERE e.id = ? AND e.business_id = ?`);
  const findAll = entries.list<Entry>(
    db,
    `WHERE id IN (SELECT value FROM json_each(?2)) AND business_id = ?1
      AND queue_id IN (SELECT q.id FROM queues q WHERE q.business_id = ?1) LIMIT -1`,
    entryColumns,
  );
  const findDay = db.query<CountedDay>(`
    SELECT json_object('queue', ${queues.json("q", queueColumns)},
      'statuses', ${statusesOf(givenDay, "all")},
      'work', (SELECT json_group_array(work_minutes) FROM (
        SELECT work_minutes FROM entries INDEXED BY entries_waiting
        WHERE ${inDay(givenDay)} AND status = 'WAITING' ORDER BY line_order LIMIT -1)))
    FROM queues q WHERE q.business_id = ?1 AND q.id = ?2`);

  const findQueue = db.query<[string]>(
    "SELECT json_array(id) FROM queues WHERE business_id = ? AND id = ?",
  );
  const findCursor = db.query<[date: string, tokenNumber: number]>(`
    SELECT json_array(date, token_number) FROM entries
    WHERE id = ? AND queue_id = ? AND business_id = ?`);
  const after = "AND token_number > ?4 ORDER BY token_number LIMIT ?5";
  const pageOfAll = entries.list<Entry>(db, `WHERE ${inDay(givenDay)} ${after}`, entryColumns);
  const pageOfStatus = entries.list<Entry>(
    db,
    `INDEXED BY entries_by_status WHERE ${inDay(givenDay)} AND status = ?6 ${after}`,
    entryColumns,
  );
  const placesAt = db.query<CountedPlace>(`
    SELECT json_object('first', ${aheadOf(givenDay, `?4 - ${priorityLead}`)},
      'others', ${aheadOf(givenDay, "?4")}, 'pace', ${statusesOf(givenDay, "pace")})`);

  /** The entries of a page of one day in token order, with their places: one pass over the line. */
  function inLine(found: readonly Entry[]): EntryInLine[] {
    const next = found.find((entry) => entry.status === "WAITING");
    const counted = next && placesAt(next.businessId, next.queueId, next.date, next.tokenNumber);
    if (!counted) return found.map((entry) => ({ entry, line: null }));
    const pace = readPace(counted.pace);
    const places = new Places(counted.first, counted.others);
    return found.map((entry) => ({
      entry,
      line: entry.status === "WAITING" ? { ahead: places.next(entry), pace } : null,
    }));
  }

  const page: Steps<EntryStore>["page"] = (businessId, queueId, asked, status, request) => {
    const { after, limit, orEarlier = false } = request;
    return db.reading(() => {
      if (!findQueue(businessId, queueId)) return "queue_not_found";
      const cursor = after === null ? beforeAll(asked) : findCursor(after, queueId, businessId);
      const date = cursor && listDay(asked, cursor[0], orEarlier);
      if (!cursor || date === null) return "cursor_unknown";
      const part = [businessId, queueId, date, cursor[1], limit + 1] as const;
      const found = status === null ? pageOfAll(...part) : pageOfStatus(...part, status);
      return { items: inLine(found.slice(0, limit)), more: found.length > limit };
    });
  };

  return {
    get(businessId, entryId) {
      const found = find(entryId, businessId);
      if (!found) return null;
      const { entry, line } = found;
      return { entry, line: line && { ahead: line.ahead, pace: readPace(line.pace) } };
    },

    byIds: (businessId, entryIds) => findAll(businessId, JSON.stringify(entryIds)),

    day(businessId, queueId, date) {
      const found = findDay(businessId, queueId, date);
      if (!found) return null;
      const { queue, statuses, work } = found;
      const pace = readPace(statuses);
      const averageWaitMinutes = averageWait([packWork(work)], pace);
      return { queue, counts: readCounts(statuses), pace, averageWaitMinutes };
    },

    page,

    list: (...asked) => encodedEntryList(page(...asked)),
  };
}
