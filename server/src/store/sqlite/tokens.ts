import { receiptOf } from "../../rules/entry-answer.js";
import type { Claim } from "../../rules/idempotency.js";
import { newEntry, refuseIssue } from "../../rules/issue.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import {
  refuseTransfer,
  type TransferRequest,
  transferred,
  transferUndone,
} from "../../rules/transfer.js";
import { type Move, moved, prioritized } from "../../rules/transitions.js";
import { ClaimLostError } from "../claim-lost-error.js";
import type {
  ChangeOptions,
  IssueOutcome,
  IssueRequest,
  MoveOutcome,
  TransferOutcome,
} from "../port/entries.js";
import type { Audit } from "./audit.js";
import type { Connection } from "./connection.js";
import type { Entries } from "./entries.js";
import type { Idempotency } from "./idempotency.js";
import {
  type AheadRow,
  allWaiting,
  type PaceRow,
  paceColumns,
  priorityWaiting,
  readPace,
  together,
} from "./line.js";
import {
  entryRow,
  insertEntryInto,
  type QueueRow,
  queueColumns,
  readQueue,
  readService,
  type ServiceRow,
  serviceColumns,
} from "./records.js";

type LineRow = [
  id: number,
  lastNumber: number,
  allWaiting: AheadRow,
  priorityWaiting: AheadRow,
  pace: PaceRow,
];

interface Parts {
  readonly entries: Entries;
  readonly idempotency: Idempotency;
  readonly audit: Audit;
}

/** Issues tokens and changes their entries. */
export function prepareTokens(db: Connection, { entries, idempotency, audit }: Parts) {
  const findByClaim = db.query<[entryId: string]>(
    "SELECT json_array(id) FROM entries WHERE claim_id = ?",
  );
  const findFacts = db.query<[QueueRow, ServiceRow | null, createdToday: number, LineRow | null]>(`
    SELECT json_array(
      json_array(${queueColumns("q")}),
      iif(s.id IS NULL, NULL, json_array(${serviceColumns("s")})),
      (SELECT ifnull(sum(waiting + in_service + completed + canceled + no_show), 0)
       FROM lines WHERE business_id = ?1 AND date = ?2),
      iif(l.id IS NULL, NULL, json_array(l.id, l.last_number,
        ${allWaiting("l")}, ${priorityWaiting("l")}, json_array(${paceColumns("l")}))))
    FROM queues q
    LEFT JOIN services s ON s.id = ?4 AND s.business_id = q.business_id
    LEFT JOIN lines l ON l.queue_id = q.id AND l.date = ?2
    WHERE q.id = ?3 AND q.business_id = ?1`);
  const openLine = db.query<LineRow>(`
    INSERT INTO lines (business_id, date, queue_id) VALUES (?, ?, ?)
    RETURNING json_array(id, 0, json_array(0, 0, 0), json_array(0, 0, 0), json_array(0, 0, 0))`);
  const insert = db.command(insertEntryInto("?"));
  const update = db.command(`
    UPDATE entries SET status = ?, priority = ?, started_at = ?, completed_at = ?, canceled_at = ?,
      revision = ?, calls = ?, counter = ?, transferred_to = ?
    WHERE id = ?`);
  const findNext = db.query<[entryId: string]>(`
    SELECT json_array(e.id) FROM entries e
    WHERE e.status = 'WAITING'
      AND e.line_id = (SELECT id FROM lines WHERE queue_id = ? AND date = ? AND business_id = ?)
    ORDER BY e.priority DESC, e.token_number LIMIT 1`);

  function openedLine(businessId: string, date: string, queueId: string): LineRow {
    const line = openLine(businessId, date, queueId);
    if (!line) throw new Error("the line of a new day was not made");
    return line;
  }

  /** The receipt of a claim whose token is already issued. It is stored in the claim's record from now on. */
  function receiptOfClaim(businessId: string, claim: Claim): string | null {
    const record = idempotency.find(businessId, claim.key);
    if (record?.claimId !== claim.claimId) throw new ClaimLostError();
    if (record.receipt !== null) return record.receipt;
    const [entryId] = findByClaim(claim.claimId) ?? [];
    const found = entryId === undefined ? null : entries.get(businessId, entryId);
    if (!found) return null;
    const receipt = receiptOf(found);
    idempotency.finish(businessId, claim, receipt);
    return receipt;
  }

  function keep(after: Entry): Entry {
    const { id, status, priority, startedAt, completedAt, canceledAt } = after;
    const { revision, calls, counter, transferredTo } = after;
    const times = [startedAt, completedAt, canceledAt] as const;
    update(status, Number(priority), ...times, revision, calls, counter, transferredTo, id);
    return after;
  }

  /** Stores the result of a decision on an entry, with the audit row if there is one. */
  function change(
    businessId: string,
    entryId: string,
    decide: (entry: Entry) => Entry | null,
    auditRow: AuditRow | null = null,
  ): MoveOutcome {
    const found = entries.get(businessId, entryId);
    if (!found) return { outcome: "not_found" };
    const after = decide(found.entry);
    if (!after) return { outcome: "invalid_state", status: found.entry.status };
    keep(after);
    if (auditRow) audit.append(auditRow);
    return { outcome: "moved", entry: after };
  }

  return {
    issue(businessId: string, request: IssueRequest): IssueOutcome {
      const { claim, date, queueId, serviceId, dailyTokenLimit, priority } = request;
      const earlier = claim && receiptOfClaim(businessId, claim);
      if (earlier !== null) return { outcome: "replay", receipt: earlier };

      const facts = findFacts(businessId, date, queueId, serviceId);
      const [queueRow, serviceRow, createdToday, lineRow] = facts ?? [null, null, 0, null];
      const queue = queueRow && readQueue(queueRow);
      const service = serviceRow && readService(serviceRow);
      const known = { queue, service, createdToday, dailyTokenLimit };
      const refusal = refuseIssue(serviceId !== null, known);
      if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };

      const line = lineRow ?? openedLine(businessId, date, queueId);
      const [lineId, lastNumber, allWaiting, priorityWaiting, pace] = line;
      const entry = newEntry(request, { queue, service, tokenNumber: lastNumber + 1 });
      // The new number is the highest, so all waiting entries are ahead, or for priority all that have it.
      const ahead = together([priority ? priorityWaiting : allWaiting]);
      const receipt = receiptOf({ entry, line: { ahead, pace: readPace(pace) } });
      insert(lineId, ...entryRow(entry), claim?.claimId ?? null);
      if (claim) idempotency.finish(businessId, claim, receipt);
      if (request.audit) audit.append(request.audit);
      return { outcome: "issued", receipt };
    },

    move(
      businessId: string,
      entryId: string,
      by: Move,
      now: number,
      { audit, ...how }: ChangeOptions = {},
    ): MoveOutcome {
      const decide = (entry: Entry): Entry | null => {
        const joinedId = by === "undo" ? entry.transferredTo : null;
        const joined = joinedId === null ? null : entries.get(businessId, joinedId)?.entry;
        if (!joined) return moved(entry, by, { now, ...how });
        const undone = transferUndone({ left: entry, joined }, { now, ...how });
        if (undone) keep(undone.joined);
        return undone?.left ?? null;
      };
      return change(businessId, entryId, decide, audit);
    },

    transfer(
      businessId: string,
      entryId: string,
      { id, queueId, dailyTokenLimit }: TransferRequest,
      now: number,
      { audit: auditRow, seen = null }: Omit<ChangeOptions, "counter"> = {},
    ): TransferOutcome {
      const found = entries.get(businessId, entryId);
      if (!found) return { outcome: "not_found" };
      const { entry } = found;
      const facts = findFacts(businessId, entry.date, queueId, null);
      const [queueRow, , createdToday, lineRow] = facts ?? [null, null, 0, null];
      const queue = queueRow && readQueue(queueRow);
      const refusal = refuseTransfer(entry, { queue, createdToday, dailyTokenLimit }, { seen });
      if (refusal === "invalid_state") return { outcome: refusal, status: entry.status };
      if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };

      const [lineId, lastNumber] = lineRow ?? openedLine(businessId, entry.date, queueId);
      const tokenNumber = lastNumber + 1;
      const { left, joined } = transferred(entry, { id, queue, tokenNumber }, now);
      keep(left);
      insert(lineId, ...entryRow(joined), null);
      if (auditRow) audit.append(auditRow);
      return { outcome: "transferred", entry: left, joined };
    },

    setPriority(
      businessId: string,
      entryId: string,
      priority: boolean,
      { audit, ...how }: ChangeOptions = {},
    ): MoveOutcome {
      return change(businessId, entryId, (entry) => prioritized(entry, priority, how), audit);
    },

    callIfNext(
      businessId: string,
      entryId: string,
      now: number,
      { audit, ...how }: ChangeOptions = {},
    ): MoveOutcome | { readonly outcome: "not_next" } {
      const line = entries.get(businessId, entryId)?.line;
      if (line && line.ahead.people > 0) return { outcome: "not_next" };
      const call = (entry: Entry) => moved(entry, "call", { now, ...how });
      return change(businessId, entryId, call, audit);
    },

    callNext(businessId: string, queueId: string, date: string, now: number): Entry | null {
      const [entryId] = findNext(queueId, date, businessId) ?? [];
      const found = entryId === undefined ? null : entries.get(businessId, entryId);
      const called = found && moved(found.entry, "call", { now });
      return called && keep(called);
    },
  };
}
