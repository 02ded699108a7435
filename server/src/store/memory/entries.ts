import { decideKeyed, entryKey, type KeyedRequest } from "../../rules/idempotency.js";
import { newEntry, refuseIssue } from "../../rules/issue.js";
import type { Clock } from "../../rules/ports.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import { receiptOf } from "../../rules/resources.js";
import {
  corrected,
  decideTransfer,
  type MoveOutcome,
  moved,
  outcomeOf,
  type TransferOutcome,
} from "../../rules/transitions.js";
import type { EntryStore } from "../port/entries.js";
import { inLine, lineOf, place } from "./line.js";
import { keyPlace, pageOf, type Tables } from "./tables.js";

export function memoryEntries(tables: Tables, clock: Clock, expiry: Clock): EntryStore {
  const { entries, queues, services, heldKeys } = tables;

  /** The entries of the queue and the day of an entry. */
  const dayOf = ({ businessId, queueId: id, date }: Entry) => tables.day({ businessId, id }, date);

  function change<Outcome extends TransferOutcome>(
    businessId: string,
    entryId: string,
    decide: (entry: Entry) => Outcome,
    audit: AuditRow | null = null,
  ): Outcome | MoveOutcome {
    const entry = entries.of(businessId, entryId);
    if (!entry) return { outcome: "not_found" };
    const decided = decide(entry);
    if (decided.outcome !== "moved") return decided;
    tables.keepEntry(decided.entry);
    if (audit) tables.audit.add(audit);
    return decided;
  }

  const page: EntryStore["page"] = async (businessId, queueId, asked, status, page) => {
    const queue = queues.of(businessId, queueId);
    if (!queue) return "queue_not_found";
    const isWanted = (entry: Entry) => status === null || entry.status === status;
    const found = pageOf(entries, (date) => tables.day(queue, date), asked, page, isWanted);
    return found ? { items: inLine(found.items, found.day), more: found.more } : "cursor_unknown";
  };

  /** The answer to a request whose key an entry holds; null if the key is free or expired. */
  function held(businessId: string, keyed: KeyedRequest) {
    const key = heldKeys.get(keyPlace(businessId, keyed.key)) ?? null;
    return decideKeyed(keyed, key, expiry());
  }

  return {
    async get(businessId, entryId) {
      const entry = entries.of(businessId, entryId);
      return entry && place(entry, dayOf(entry));
    },

    byIds: async (businessId, entryIds) =>
      entryIds.flatMap((id) => entries.of(businessId, id) ?? []),

    page,
    replayOf: async (businessId, keyed) => held(businessId, keyed),

    async issue(businessId, { keyed, audit, location, ...request }) {
      const known = keyed && held(businessId, keyed);
      if (known) return known;

      const { queueId, serviceId, date } = request;
      const queue = queues.of(businessId, queueId);
      const service = services.of(businessId, serviceId ?? "");
      const businessDay = tables.businessDay(businessId, date);
      const facts = {
        service,
        lastNumber: lastNumber(businessDay, queueId),
        lastPlaceInDay: businessDay.reduce((last, one) => Math.max(last, one.placeInDay), 0),
      };
      const dailyTokenLimit = tables.businesses.get(businessId)?.dailyTokenLimit ?? null;
      const refusal = refuseIssue(serviceId !== null, { ...facts, queue, dailyTokenLimit });
      if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };

      const entry = newEntry(request, queue, facts);
      const receipt = receiptOf(place(entry, [...tables.day(queue, date), entry]), location);
      tables.keepEntry(entry, keyed && entryKey(keyed, receipt, clock()));
      if (audit) tables.audit.add(audit);
      return { outcome: "issued", receipt };
    },

    async move(businessId, entryId, move, now, { audit, ...how } = {}) {
      const called = move === "next" ? entries.of(businessId, entryId) : null;
      const isBehind = called?.status === "WAITING" && lineOf(dayOf(called))[0]?.id !== entryId;
      if (isBehind) return { outcome: "not_next" };
      const decide = (entry: Entry) => outcomeOf(entry, moved(entry, move, { now, ...how }));
      return change(businessId, entryId, decide, audit);
    },

    async transfer(businessId, entryId, queueId, { audit, ...how } = {}) {
      const decide = (entry: Entry) => {
        const queue = queues.of(businessId, queueId);
        const day = tables.businessDay(businessId, entry.date);
        const target = queue && { queue, lastNumber: lastNumber(day, queueId) };
        return decideTransfer(entry, target, how);
      };
      return change(businessId, entryId, decide, audit);
    },

    async correct(businessId, entryId, correction, { audit, ...how } = {}) {
      const decide = (entry: Entry) => outcomeOf(entry, corrected(entry, correction, how));
      return change(businessId, entryId, decide, audit);
    },

    async callNext(businessId, queueId, date, now) {
      const queue = queues.of(businessId, queueId);
      const next = queue && lineOf(tables.day(queue, date))[0];
      const called = next ? moved(next, "call", { now }) : null;
      if (called) tables.keepEntry(called);
      return called;
    },
  };
}

/** The last number that a queue gave on a day of its business, also to people who left it. */
function lastNumber(businessDay: readonly Entry[], queueId: string): number {
  const places = businessDay.flatMap((entry) => [entry, ...entry.earlierPlaces]);
  return places
    .filter((one) => one.queueId === queueId)
    .reduce((last, { tokenNumber }) => Math.max(last, tokenNumber), 0);
}
