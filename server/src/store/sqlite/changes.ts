import type { AuditRow, Entry } from "../../rules/records.js";
import {
  corrected,
  moved,
  refuseTransfer,
  type TransferTarget,
  transferred,
} from "../../rules/transitions.js";
import type { EntryStore, MoveOutcome } from "../port/entries.js";
import type { AuditStore } from "../port/requests.js";
import type { Connection } from "./connection.js";
import { givenDay, lastNumber } from "./line.js";
import { entries as entryTable, queueColumns, queues } from "./schema.js";
import type { Steps } from "./steps.js";

interface Parts {
  readonly entries: Pick<Steps<EntryStore>, "get">;
  readonly audit: Steps<AuditStore>;
}

/** Changes entries. */
export function prepareChanges(
  db: Connection,
  { entries, audit }: Parts,
): Omit<Steps<EntryStore>, "get" | "byIds" | "page" | "list" | "issue"> {
  const findTarget = db.query<TransferTarget>(`
    SELECT json_object('queue', ${queues.json("q", queueColumns)}, 'lastNumber', ${lastNumber(givenDay)})
    FROM queues q WHERE q.business_id = ?1 AND q.id = ?2`);
  const findNext = db.query<[entryId: string]>(`
    SELECT json_array(id) FROM entries INDEXED BY entries_waiting
    WHERE business_id = ?1 AND queue_id = ?2 AND date = ?3 AND status = 'WAITING'
    ORDER BY line_order LIMIT 1`);
  const update = entryTable.update(db, "id");

  /** Stores the result of a decision on an entry, with the audit row if there is one. */
  function change(
    businessId: string,
    entryId: string,
    decide: (entry: Entry) => Entry | null,
    row: AuditRow | null = null,
  ): MoveOutcome {
    const found = entries.get(businessId, entryId);
    if (!found) return { outcome: "not_found" };
    const after = decide(found.entry);
    if (!after) return { outcome: "invalid_state", status: found.entry.status };
    update(found.entry, after);
    if (row) audit.append([row]);
    return { outcome: "moved", entry: after };
  }

  return {
    move(businessId, entryId, move, now, { audit, ...how } = {}) {
      const line = move === "next" ? entries.get(businessId, entryId)?.line : null;
      if (line && line.ahead.people > 0) return { outcome: "not_next" };
      return change(businessId, entryId, (entry) => moved(entry, move, { now, ...how }), audit);
    },

    transfer(businessId, entryId, queueId, { audit, seen = null } = {}) {
      const entry = entries.get(businessId, entryId)?.entry;
      if (!entry) return { outcome: "not_found" };
      const target = findTarget(businessId, queueId, entry.date);
      const refusal = refuseTransfer(entry, target, { seen });
      if (refusal === "invalid_state") return { outcome: refusal, status: entry.status };
      if (refusal || !target) return { outcome: refusal ?? "queue_not_found" };
      return change(businessId, entryId, () => transferred(entry, target), audit);
    },

    correct: (businessId, entryId, correction, { audit, ...how } = {}) =>
      change(businessId, entryId, (entry) => corrected(entry, correction, how), audit),

    callNext(businessId, queueId, date, now) {
      const [entryId] = findNext(businessId, queueId, date) ?? [];
      const entry = entryId === undefined ? null : entries.get(businessId, entryId)?.entry;
      const called = entry && moved(entry, "call", { now });
      return called ? update(entry, called) : null;
    },
  };
}
