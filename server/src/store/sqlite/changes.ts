import { receiptOf } from "../../rules/entry-answer.js";
import { decideKeyed, entryKey } from "../../rules/idempotency.js";
import { type IssueFacts, newEntry, refuseIssue } from "../../rules/issue.js";
import type { Ahead } from "../../rules/line.js";
import type { Clock } from "../../rules/ports.js";
import type { AuditRow, Entry, EntryKey } from "../../rules/records.js";
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
import { aheadOf, givenDay, lastNumber, readPace, type StatusRow, statusesOf } from "./line.js";
import {
  entries as entryTable,
  keptKeyColumns,
  noKey,
  priorityLead,
  queueColumns,
  queues,
  services,
} from "./schema.js";
import type { Steps } from "./steps.js";

interface CountedFacts extends IssueFacts {
  readonly ahead: Ahead;
  readonly pace: StatusRow[];
}

interface Parts {
  readonly entries: Pick<Steps<EntryStore>, "get">;
  readonly audit: Steps<AuditStore>;
  readonly clock: Clock;
  readonly expiry: Clock;
}

/** Issues tokens and changes their entries. */
export function prepareChanges(
  db: Connection,
  { entries, audit, clock, expiry }: Parts,
): Omit<Steps<EntryStore>, "get" | "byIds" | "page" | "list"> {
  const findKey = db.query<EntryKey>(`
    SELECT ${entryTable.json("e", keptKeyColumns)} FROM entries e
    WHERE e.business_id = ? AND e.key = ?`);
  const freeKey = db.command(`
    UPDATE entries SET key = NULL, fingerprint = NULL, receipt = NULL, kept_until = NULL
    WHERE business_id = ? AND key = ?`);
  const findFacts = db.query<CountedFacts>(`
    SELECT json_object(
      'queue', (SELECT ${queues.json("q", queueColumns)} FROM queues q
        WHERE q.id = ?2 AND q.business_id = b.id),
      'service', (SELECT ${services.json("s")} FROM services s
        WHERE s.id = ?4 AND s.business_id = b.id),
      'dailyTokenLimit', b.daily_token_limit,
      'lastPlaceInDay', (SELECT ifnull(max(place_in_day), 0) FROM entries
        WHERE business_id = ?1 AND date = ?3),
      'lastNumber', ${lastNumber(givenDay)},
      'ahead', ${aheadOf(givenDay, "?5")}, 'pace', ${statusesOf(givenDay, "pace")})
    FROM businesses b WHERE b.id = ?1`);
  const findTarget = db.query<TransferTarget>(`
    SELECT json_object('queue', ${queues.json("q", queueColumns)}, 'lastNumber', ${lastNumber(givenDay)})
    FROM queues q WHERE q.business_id = ?1 AND q.id = ?2`);
  const findNext = db.query<[entryId: string]>(`
    SELECT json_array(id) FROM entries INDEXED BY entries_waiting
    WHERE business_id = ?1 AND queue_id = ?2 AND date = ?3 AND status = 'WAITING'
    ORDER BY line_order LIMIT 1`);
  const insert = entryTable.insert(db);
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
    issue(businessId, { keyed, audit: row, ...request }) {
      const held = keyed && findKey(businessId, keyed.key);
      const known = keyed && decideKeyed(keyed, held, expiry());
      if (known) return known;

      const { queueId, date, serviceId, priority } = request;
      // The new number is the highest, so all waiting entries are ahead, or for priority all that have it.
      const place = priority ? 0 : priorityLead;
      const facts = findFacts(businessId, queueId, date, serviceId, place);
      const refusal = facts ? refuseIssue(serviceId !== null, facts) : "queue_not_found";
      if (refusal || !facts?.queue) return { outcome: refusal ?? "queue_not_found" };

      const { queue, ahead, pace } = facts;
      const entry = newEntry(request, queue, facts);
      const receipt = receiptOf({ entry, line: { ahead, pace: readPace(pace) } });
      if (held) freeKey(businessId, held.key); // it expired
      insert({ ...entry, ...(keyed ? entryKey(keyed, receipt, clock()) : noKey) });
      if (row) audit.append([row]);
      return { outcome: "issued", receipt };
    },

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
