import { type EntryInLine, encodedEntryList, receiptOf } from "../../rules/entry-answer.js";
import { type Claim, keptUntil } from "../../rules/idempotency.js";
import { newEntry, refuseIssue } from "../../rules/issue.js";
import { listDay } from "../../rules/list-day.js";
import type { Clock } from "../../rules/ports.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import { refuseTransfer, transferred, transferUndone } from "../../rules/transfer.js";
import { moved, prioritized } from "../../rules/transitions.js";
import { ClaimLostError } from "../claim-lost-error.js";
import type { EntryStore, MoveOutcome } from "../port/entries.js";
import { lineOf, paceOf, standing } from "./line.js";
import { owned, recordKey, type Tables } from "./tables.js";

export function memoryEntries(tables: Tables, clock: Clock): EntryStore {
  /** The receipt of a claim whose token is already issued. It is stored in the claim's record from now on. */
  function receiptOfClaim(businessId: string, claim: Claim): string | null {
    const record = tables.idempotency.get(recordKey(businessId, claim.key));
    if (record?.claimId !== claim.claimId) throw new ClaimLostError();
    if (record.receipt !== null) return record.receipt;
    const entry = tables.entries.get(tables.claimed.get(claim.claimId) ?? "");
    if (!entry) return null;
    const receipt = receiptOf(place(entry, tables.day(entry.queueId, entry.date)));
    finish(businessId, claim, receipt);
    return receipt;
  }

  /**
   * Stores the receipt of what a claim created, even if another request holds the lease: a claim has only one
   * receipt.
   */
  function finish(businessId: string, claim: Claim, receipt: string): void {
    const key = recordKey(businessId, claim.key);
    const record = tables.idempotency.get(key);
    if (record?.claimId !== claim.claimId) return;
    tables.idempotency.set(key, { ...record, receipt, keptUntil: keptUntil(clock()) });
  }

  function change(
    businessId: string,
    entryId: string,
    by: (entry: Entry) => Entry | null,
    audit: AuditRow | null = null,
  ): MoveOutcome {
    const entry = owned(businessId, tables.entries.get(entryId));
    if (!entry) return { outcome: "not_found" };
    const after = by(entry);
    if (!after) return { outcome: "invalid_state", status: entry.status };
    tables.keepEntry(after);
    if (audit) tables.audit.append(audit);
    return { outcome: "moved", entry: after };
  }

  const page: EntryStore["page"] = async (
    businessId,
    queueId,
    asked,
    status,
    { limit, after, orEarlier = false },
  ) => {
    if (!owned(businessId, tables.queues.get(queueId))) return "queue_not_found";
    const cursor = after === null ? null : tables.entries.get(after);
    const date = cursor ? listDay(asked, cursor.date, orEarlier) : asked;
    const day = date === null ? [] : tables.day(queueId, date);
    const start = after === null ? -1 : day.findIndex((entry) => entry.id === after);
    if (after !== null && start < 0) return "cursor_unknown";
    const rest = day.slice(start + 1).filter((entry) => status === null || entry.status === status);
    return { items: inLine(rest.slice(0, limit), day), more: rest.length > limit };
  };

  return {
    async get(businessId, entryId) {
      const entry = owned(businessId, tables.entries.get(entryId));
      return entry && place(entry, tables.day(entry.queueId, entry.date));
    },

    page,
    list: async (...asked) => encodedEntryList(await page(...asked)),

    async issue(businessId, request) {
      const earlier = request.claim && receiptOfClaim(businessId, request.claim);
      if (earlier !== null) return { outcome: "replay", receipt: earlier };

      const queue = owned(businessId, tables.queues.get(request.queueId));
      const service = owned(businessId, tables.services.get(request.serviceId ?? ""));
      const { date, dailyTokenLimit } = request;
      const createdToday = tables.issuedOn(businessId, date);
      const facts = { queue, service, createdToday, dailyTokenLimit };
      const refusal = refuseIssue(request.serviceId !== null, facts);
      if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };

      const day = tables.day(queue.id, date);
      const tokenNumber = tables.nextNumber(queue.id, date);
      const entry = newEntry(request, { queue, service, tokenNumber });
      const receipt = receiptOf(place(entry, [...day, entry]));
      tables.keepEntry(entry);
      if (request.claim) {
        tables.claimed.set(request.claim.claimId, entry.id);
        finish(businessId, request.claim, receipt);
      }
      if (request.audit) tables.audit.append(request.audit);
      return { outcome: "issued", receipt };
    },

    move: async (businessId, entryId, move, now, { audit, ...how } = {}) =>
      change(
        businessId,
        entryId,
        (entry) => {
          const joined = move === "undo" ? tables.entries.get(entry.transferredTo ?? "") : null;
          if (!joined) return moved(entry, move, { now, ...how });
          const undone = transferUndone({ left: entry, joined }, { now, ...how });
          if (undone) tables.keepEntry(undone.joined);
          return undone?.left ?? null;
        },
        audit,
      ),

    async transfer(businessId, entryId, request, now, { audit, seen = null } = {}) {
      const { id, dailyTokenLimit } = request;
      const entry = owned(businessId, tables.entries.get(entryId));
      if (!entry) return { outcome: "not_found" };
      const queue = owned(businessId, tables.queues.get(request.queueId));
      const createdToday = tables.issuedOn(businessId, entry.date);
      const refusal = refuseTransfer(entry, { queue, createdToday, dailyTokenLimit }, { seen });
      if (refusal === "invalid_state") return { outcome: refusal, status: entry.status };
      if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };
      const tokenNumber = tables.nextNumber(queue.id, entry.date);
      const { left, joined } = transferred(entry, { id, queue, tokenNumber }, now);
      tables.keepEntry(left);
      tables.keepEntry(joined);
      if (audit) tables.audit.append(audit);
      return { outcome: "transferred", entry: left, joined };
    },

    setPriority: async (businessId, entryId, priority, { audit, ...how } = {}) =>
      change(businessId, entryId, (entry) => prioritized(entry, priority, how), audit),

    async callIfNext(businessId, entryId, now, { audit, ...how } = {}) {
      const entry = owned(businessId, tables.entries.get(entryId));
      const next = entry && lineOf(tables.day(entry.queueId, entry.date))[0];
      if (entry?.status === "WAITING" && next?.id !== entryId) return { outcome: "not_next" };
      const call = (waiting: Entry) => moved(waiting, "call", { now, ...how });
      return change(businessId, entryId, call, audit);
    },

    async callNext(businessId, queueId, date, now) {
      if (!owned(businessId, tables.queues.get(queueId))) return null;
      const next = lineOf(tables.day(queueId, date))[0];
      const called = next ? moved(next, "call", { now }) : null;
      if (called) tables.keepEntry(called);
      return called;
    },
  };
}

function inLine(entries: readonly Entry[], day: readonly Entry[]): EntryInLine[] {
  const places = standing(day);
  const pace = paceOf(day);
  return entries.map((entry) => {
    const ahead = places.get(entry.id);
    return { entry, line: ahead ? { ahead, pace } : null };
  });
}

function place(entry: Entry, day: readonly Entry[]): EntryInLine {
  const ahead = standing(day).get(entry.id);
  return { entry, line: ahead ? { ahead, pace: paceOf(day) } : null };
}
