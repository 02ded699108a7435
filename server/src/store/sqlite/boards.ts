import { hash } from "node:crypto";
import type { Entry, Queue } from "../../rules/records.js";
import type { BoardRequest, BoardStore, QueueOnBoard } from "../port/boards.js";
import type { QueueStore, ServiceStore } from "../port/business.js";
import type { Connection } from "./connection.js";
import { givenDay, inDay } from "./line.js";
import { businesses, entryColumns, entries as entryTable } from "./schema.js";
import type { Steps } from "./steps.js";

interface Parts {
  readonly queues: Pick<Steps<QueueStore>, "list">;
  readonly services: Pick<Steps<ServiceStore>, "list">;
  readonly days: Pick<Steps<QueueStore>, "day">;
}

/** Reads all queues of a business on one day, for the board. */
export function prepareBoards(
  db: Connection,
  { queues, services, days }: Parts,
): Steps<BoardStore> {
  const findBusiness = businesses.find(db, "id = ?");
  // Each change of an entry gives it the next revision, and no entry of a business is removed.
  const countChanges = db.query<[entries: number, revisions: number]>(`
    SELECT json_array(count(*), ifnull(sum(e.revision), 0))
    FROM queues q JOIN entries e INDEXED BY entries_by_status
      ON e.business_id = q.business_id AND e.queue_id = q.id AND e.date = ?2
    WHERE q.business_id = ?1`);
  const waiting = entryTable.list<Entry>(
    db,
    `INDEXED BY entries_waiting WHERE ${inDay(givenDay)} AND status = 'WAITING'
       ORDER BY line_order LIMIT ?4 OFFSET ?5`,
    entryColumns,
  );
  const served = entryTable.list<Entry>(
    db,
    `INDEXED BY entries_by_status WHERE ${inDay(givenDay)} AND status = 'IN_SERVICE'
       ORDER BY token_number LIMIT -1`,
    entryColumns,
  );

  function version(businessId: string, date: string): string {
    const settings = [findBusiness(businessId), queues.list(businessId), services.list(businessId)];
    const content = JSON.stringify([settings, date, countChanges(businessId, date)]);
    return hash("sha256", content, "base64url");
  }

  function onBoard(queue: Queue, date: string, { limit, part }: BoardRequest): QueueOnBoard | null {
    const { businessId, id } = queue;
    const day = days.day(businessId, id, date);
    if (!day) return null;
    const { WAITING, IN_SERVICE } = day.counts;
    const read = (count: number, skipped: number) =>
      WAITING > skipped ? waiting(businessId, id, date, count, skipped) : [];
    const inService = IN_SERVICE > 0 ? served(businessId, id, date) : [];
    const wanted = part?.queueId === id ? part : { from: 1, limit };
    return {
      ...day,
      inService: inService.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)),
      next: read(1, 0)[0] ?? null,
      line: read(wanted.limit, wanted.from - 1),
    };
  }

  return {
    version,

    get: (businessId, date, request) => ({
      version: version(businessId, date),
      services: services.list(businessId),
      queues: queues.list(businessId).flatMap((queue) => onBoard(queue, date, request) ?? []),
    }),
  };
}
