import type { Board, BoardRequest, QueueOnBoard } from "../port/boards.js";
import type { QueueDay } from "../port/queues.js";
import type { Connection } from "./connection.js";
import type { Entries } from "./entries.js";
import { list } from "./list.js";
import type { Queues } from "./queues.js";
import { type EntryRow, entryColumns, readEntry } from "./records.js";
import type { Services } from "./services.js";

interface Parts {
  readonly queues: Queues;
  readonly services: Services;
  readonly entries: Entries;
}

/** Reading a business's whole day, for those who serve the people in its queues. */
export function prepareBoards(db: Connection, { queues, services, entries }: Parts) {
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
  const served = db.query<EntryRow[]>(
    list(
      entryColumns,
      "entries INDEXED BY entries_by_status",
      "WHERE line_id = ? AND status = 'IN_SERVICE' LIMIT -1",
    ),
  );

  const version = (businessId: string, date: string): string =>
    JSON.stringify(findVersion(businessId, date));

  function onBoard(day: QueueDay, date: string, { limit, wholeLine }: BoardRequest): QueueOnBoard {
    const { id, businessId } = day.queue;
    const [line] = findLine(id, date) ?? [];
    if (line === undefined) return { ...day, inService: [], line: [] };
    const read = (row: EntryRow) => readEntry(row, [businessId, id, date]);
    const inService = (served(line) ?? []).map(read);
    return {
      ...day,
      inService: inService.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)),
      line: (waiting(line, id === wholeLine ? -1 : limit) ?? []).map(read),
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
