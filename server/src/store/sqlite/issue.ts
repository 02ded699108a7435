import { decideKeyed, entryKey, type KeyedRequest } from "../../rules/idempotency.js";
import { type IssueFacts, newEntry, refuseIssue } from "../../rules/issue.js";
import { type Ahead, behind, type LinePace } from "../../rules/line.js";
import type { Clock } from "../../rules/ports.js";
import type { AuditRow, EntryKey, Service } from "../../rules/records.js";
import { receiptOf } from "../../rules/resources.js";
import type { EntryStore, IssueOutcome } from "../port/entries.js";
import type { AuditStore } from "../port/requests.js";
import type { Connection } from "./connection.js";
import { aheadOf, givenDay, lastNumber, paceOf } from "./line.js";
import {
  entries,
  freeKeys,
  keptKeyColumns,
  noKey,
  priorityLead,
  queueColumns,
  queues,
  services as serviceTable,
} from "./schema.js";
import { readOnce, type Steps } from "./steps.js";

/** A queue on a day, and what is ahead of its next token: of one with priority, and of one without. */
interface Line extends Omit<IssueFacts, "service"> {
  readonly first: Ahead;
  readonly others: Ahead;
  readonly pace: LinePace;
}

interface Parts {
  readonly audit: Pick<Steps<AuditStore>, "append">;
  readonly clock: Clock;
  readonly expiry: Clock;
}

/**
 * Prepares a step that issues tokens in order. Its creations share what they read, so that those of one queue
 * that wait for one transaction count its line once.
 */
export function prepareIssue(db: Connection, { audit, clock, expiry }: Parts) {
  const findKey = entries.find<EntryKey>(db, "business_id = ? AND key = ?", keptKeyColumns);
  const freeKey = db.command(`${freeKeys} WHERE business_id = ? AND key = ?`);
  // The new number is the highest, so all waiting entries are ahead, or for priority all that have it.
  const findLine = db.query<Line>(`
    SELECT json_object(
      'queue', (SELECT ${queues.json("q", queueColumns)} FROM queues q
        WHERE q.id = ?2 AND q.business_id = b.id),
      'dailyTokenLimit', b.daily_token_limit,
      'lastPlaceInDay', (SELECT ifnull(max(place_in_day), 0) FROM entries
        WHERE business_id = ?1 AND date = ?3),
      'lastNumber', ${lastNumber(givenDay)}, 'first', ${aheadOf(givenDay, "0")},
      'others', ${aheadOf(givenDay, `${priorityLead}`)}, 'pace', ${paceOf(givenDay)})
    FROM businesses b WHERE b.id = ?1`);
  const findService = serviceTable.find(db, "id = ? AND business_id = ?");
  const insert = entries.insert(
    db,
    "ON CONFLICT (business_id, key) WHERE key IS NOT NULL DO NOTHING",
  );

  /** The answer to a request whose key an entry holds; null if the key is free or expired. */
  function answerHeld(businessId: string, keyed: KeyedRequest | null) {
    return keyed && decideKeyed(keyed, findKey(businessId, keyed.key), expiry());
  }

  return { replayOf: answerHeld, issueAll };

  function issueAll(calls: readonly Parameters<EntryStore["issue"]>[]): IssueOutcome[] {
    const lines = new Map<string, Line | null>();
    const services = new Map<string, Service | null>();
    const lastPlaces = new Map<string, number>();
    const rows: AuditRow[] = [];

    const outcomes = calls.map(
      ([businessId, { keyed, audit: row, location, ...request }]): IssueOutcome => {
        const { queueId, date, serviceId, priority } = request;
        const day = `${businessId} ${date}`;
        const name = `${day} ${queueId}`;
        const line = readOnce(lines, name, () => findLine(businessId, queueId, date));
        const service = readOnce(services, `${businessId} ${serviceId}`, () =>
          serviceId === null ? null : findService(serviceId, businessId),
        );
        const lastPlaceInDay = lastPlaces.get(day) ?? line?.lastPlaceInDay ?? 0;
        const facts = line && { ...line, service, lastPlaceInDay };
        const refusal = facts ? refuseIssue(serviceId !== null, facts) : "queue_not_found";
        if (refusal || !facts?.queue) {
          return answerHeld(businessId, keyed) ?? { outcome: refusal ?? "queue_not_found" };
        }

        const { first, others, pace } = facts;
        const entry = newEntry(request, facts.queue, facts);
        const receipt = receiptOf(
          { entry, line: { ahead: priority ? first : others, pace } },
          location,
        );
        const record = { ...entry, ...(keyed ? entryKey(keyed, receipt, clock()) : noKey) };
        if (!insert(record)) {
          const known = answerHeld(businessId, keyed);
          if (known) return known;
          if (keyed) freeKey(businessId, keyed.key); // it expired
          insert(record);
        }
        if (row) rows.push(row);
        lastPlaces.set(day, entry.placeInDay);
        lines.set(name, {
          ...{ ...facts, lastNumber: entry.tokenNumber },
          first: priority ? behind(first, entry.workMinutes) : first,
          others: behind(others, entry.workMinutes),
        });
        return { outcome: "issued", receipt };
      },
    );
    if (rows.length > 0) audit.append(rows);
    return outcomes;
  }
}
