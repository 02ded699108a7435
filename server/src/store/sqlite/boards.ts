import type { Board, BoardRequest, QueueOnBoard } from "../port/boards.js";
import type { QueueDay } from "../port/queues.js";
import type { Connection } from "./connection.js";
import type { Entries } from "./entries.js";
import { list } from "./list.js";
import type { Queues } from "./queues.js";
import { type EntryRow, entryColumns, readEntry } from "./records.js";
import type { Services } from "./services.js";
import type { Waits } from "./waits.js";

interface Parts {
  readonly queues: Queues;
  readonly services: Services;
  readonly entries: Entries;
  readonly waits: Waits;
}

/** Reads all queues of a business on one day, for the board. */
export function prepareBoards(db: Connection, { queues, services, entries, waits }: Parts) {
  const findVersion = db.query<[offer: number, lines: [id: number, revision: number][]]>(`
    SELECT json_array(b.board_revision, (
      SELECT json_group_array(json_array(l.id, l.revision))
      FROM lines l WHERE l.business_id = b.id AND l.date = ?2))
    FROM businesses b WHERE b.id = ?1`);
  const findLine = db.query<[id: number]>(
    "SELECT json_array(id) FROM lines WHERE queue_id = ? AND date = ?",
  );
  const waiting = db.query<EntryRow[]>(
    list(
      entryColumns,
      "entries",
      "WHERE line_id = ? AND status = 'WAITING' ORDER BY priority DESC, token_number LIMIT ?",
    ),
  );
  const waitingFrom = db.query<EntryRow[]>(
    list(
      entryColumns,
      "entries",
      `WHERE line_id = ? AND status = 'WAITING' AND priority = ? AND token_number >= ?
       ORDER BY token_number LIMIT ? OFFSET ?`,
    ),
  );
  const served = db.query<EntryRow[]>(
    list(
      entryColumns,
      "entries INDEXED BY entries_by_status",
      "WHERE line_id = ? AND status = 'IN_SERVICE' LIMIT -1",
    ),
  );

  const version = (businessId: string, date: string): string =>
    JSON.stringify(findVersion(businessId, date));

  /** Up to `limit` waiting entries of a line, from a place on. */
  function peopleFrom(line: number, place: number, limit: number): EntryRow[] {
    const start = waits.find(line, place);
    if (!start) return [];
    const { priority, from, behind } = start;
    const rows = waitingFrom(line, priority, from, limit, behind) ?? [];
    if (priority === 0 || rows.length === limit) return rows;
    return [...rows, ...(waitingFrom(line, 0, 0, limit - rows.length, 0) ?? [])];
  }

  function onBoard(day: QueueDay, date: string, { limit, part }: BoardRequest): QueueOnBoard {
    const { id, businessId } = day.queue;
    const [line] = findLine(id, date) ?? [];
    if (line === undefined) return { ...day, inService: [], next: null, line: [] };
    const read = (row: EntryRow) => readEntry(row, [businessId, id, date]);
    const inService = (served(line) ?? []).map(read);
    const first = (waiting(line, limit) ?? []).map(read);
    const wanted = part?.queueId === id && peopleFrom(line, part.from, part.limit).map(read);
    return {
      ...day,
      inService: inService.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)),
      next: first[0] ?? null,
      line: wanted || first,
    };
  }

  return {
    version,

    get(businessId: string, date: string, request: BoardRequest): Board {
      return db.reading(() => {
        const onBoards = queues
          .list(businessId)
          .flatMap(({ id }) => entries.queueDayNow(businessId, id, date) ?? [])
          .map((day) => onBoard(day, date, request));
        return {
          version: version(businessId, date),
          services: services.list(businessId),
          queues: onBoards,
        };
      });
    },
  };
}
