import type { AuditRow, Entry } from "../../rules/records.js";
import {
  corrected,
  decideTransfer,
  type MoveOutcome,
  moved,
  outcomeOf,
  type TransferOutcome,
  type TransferTarget,
} from "../../rules/transitions.js";
import type { EntryStore } from "../port/entries.js";
import type { AuditStore } from "../port/requests.js";
import type { Connection } from "./connection.js";
import { givenDay, inDay, lastNumber } from "./line.js";
import { entryColumns, entries as entryTable, queueColumns, queues } from "./schema.js";
import type { Steps } from "./steps.js";

/** Changes entries. `get` reads an entry with its place in the line. */
export function prepareChanges(
  db: Connection,
  { get, append }: Pick<Steps<EntryStore>, "get"> & Pick<Steps<AuditStore>, "append">,
): Omit<Steps<EntryStore>, "get" | "byIds" | "page" | "replayOf" | "issue"> {
  // Hides entries that no business names.
  const isNamed = "EXISTS (SELECT 1 FROM queues q WHERE q.id = queue_id)";
  const find = entryTable.find(db, `id = ? AND business_id = ? AND ${isNamed}`, entryColumns);
  const findTarget = db.query<TransferTarget>(`
    SELECT json_object('queue', ${queues.json("q", queueColumns)}, 'lastNumber', ${lastNumber(givenDay)})
    FROM queues q WHERE q.business_id = ?1 AND q.id = ?2`);
  const findNext = entryTable.list(
    db,
    `INDEXED BY entries_waiting WHERE ${inDay(givenDay)} AND status = 'WAITING' AND ${isNamed}
       ORDER BY line_order LIMIT 1`,
    entryColumns,
  );
  const update = entryTable.update(db, "id");

  /** Stores the result of a decision on an entry, with the audit row if there is one. */
  function change<Outcome extends TransferOutcome>(
    businessId: string,
    entryId: string,
    decide: (entry: Entry) => Outcome,
    row: AuditRow | null = null,
  ): Outcome | MoveOutcome {
    const entry = find(entryId, businessId);
    if (!entry) return { outcome: "not_found" };
    const decided = decide(entry);
    if (decided.outcome !== "moved") return decided;
    update(entry, decided.entry);
    if (row) append([row]);
    return decided;
  }

  return {
    move(businessId, entryId, move, now, { audit, ...how } = {}) {
      const line = move === "next" ? get(businessId, entryId)?.line : null;
      if (line && line.ahead.people > 0) return { outcome: "not_next" };
      const decide = (entry: Entry) => outcomeOf(entry, moved(entry, move, { now, ...how }));
      return change(businessId, entryId, decide, audit);
    },

    transfer(businessId, entryId, queueId, { audit, ...how } = {}) {
      const decide = (entry: Entry) =>
        decideTransfer(entry, findTarget(businessId, queueId, entry.date), how);
      return change(businessId, entryId, decide, audit);
    },

    correct(businessId, entryId, correction, { audit, ...how } = {}) {
      const decide = (entry: Entry) => outcomeOf(entry, corrected(entry, correction, how));
      return change(businessId, entryId, decide, audit);
    },

    callNext(businessId, queueId, date, now) {
      const [next] = findNext(businessId, queueId, date);
      const called = next && moved(next, "call", { now });
      return called ? update(next, called) : null;
    },
  };
}
