import { type EntryInLine, encodedEntryList } from "../../rules/entry-answer.js";
import { type Ahead, behind } from "../../rules/line.js";
import { listDay } from "../../rules/list-day.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import { corrected, moved, refuseTransfer, transferred } from "../../rules/transitions.js";
import type { EntryStore, MoveOutcome } from "../port/entries.js";
import { markUsed } from "./businesses.js";
import { confirmed, type Database, readAll, readOne, storeAll } from "./connection.js";
import {
  type EntryDoc,
  entryOnly,
  newChangeId,
  readEntry,
  remembered,
  tokensOf,
  writeAuditRow,
} from "./documents.js";
import { duplicateOf, unknownResult, untilDone } from "./guard.js";
import { expiring, findTaken, tokenIssuer } from "./issue.js";
import { countDay, type DayCounts } from "./line.js";
import type { StoreTime } from "./time.js";

/** How many audit rows an entry holds. When it has more, they move to the log. */
const mostAudits = 100;

/** What a change of an entry is decided to be: the entry after it, or an outcome that changes nothing. */
type Decided<Refused> = { readonly after: Entry } | { readonly refused: Refused };

/** The result of a change; null if there is no such entry. */
type Changed<Refused> = { readonly outcome: "moved"; readonly entry: Entry } | Refused | null;

export function mongoEntries(db: Database, time: StoreTime): EntryStore {
  const { entries, businesses } = db;

  function read(filter: Readonly<Record<string, unknown>>): Promise<EntryDoc | null> {
    return readOne(entries, filter, { fields: entryOnly });
  }

  async function queueOf(businessId: string, queueId: string) {
    const business = await readOne(businesses, { id: businessId }, { fields: { queues: 1 } });
    return business?.queues.find(({ id }) => id === queueId) ?? null;
  }

  /** The entry at position 1 of a line. */
  async function nextOf({ businessId, queueId, date }: Line) {
    const waiting = { businessId, date, queueId, status: "WAITING" as const };
    return readOne(entries, waiting, { sort: { priority: -1, tokenNumber: 1 } });
  }

  /**
   * Changes an entry: reads it, decides, and updates it if it still has the revision that it was decided on.
   * The loser of a race decides again. An update whose result is unknown is recognized by its change id.
   */
  async function change<Refused>(
    find: () => Promise<EntryDoc | null>,
    decide: (entry: Entry, taken: Taken) => Decided<Refused> | Promise<Decided<Refused>>,
    audit: AuditRow | null = null,
  ): Promise<Changed<Refused>> {
    const made = new Map<string, Entry>();
    const taken = new Map<string, number>();
    const row = audit && writeAuditRow(audit);
    /** The last write that was tried. If its result is unknown, it may still arrive. */
    let tried: EntryDoc | null = null;
    return untilDone<Changed<Refused>>(async (isRepeated) => {
      const again = isRepeated ? tried : null;
      const doc = again ? await byId(again.businessId, again._id)() : await find();
      if (!doc) return { done: null };
      const own = made.get(doc.changes.find((id) => made.has(id)) ?? "");
      if (own && (await isWritten(own, [...made.keys()]))) {
        return { done: { outcome: "moved", entry: own } };
      }
      const entry = readEntry(doc);
      const decided = await decide(entry, taken);
      if ("refused" in decided) {
        if (again?.revision === doc.revision) throw unknownResult();
        return { done: decided.refused };
      }
      const { after } = decided;
      tried = doc;
      const changeId = newChangeId();
      made.set(changeId, after);
      const { _id, businessId, revision, keyed = null } = doc;
      const { id, ...fields } = after;
      const isFull = doc.audits.length >= mostAudits;
      if (row && isFull) await storeAll(db.audit, doc.audits);
      const expiry = row && expiring(keyed, isFull ? [row] : [...doc.audits, row]);
      try {
        const { matchedCount } = await entries.updateOne(
          { _id, businessId, revision },
          {
            $set: {
              ...fields,
              tokens: tokensOf(after),
              ...(expiry && { expiresAt: expiry.expiresAt }),
            },
            $push: {
              ...(row && { audits: { $each: [row], $slice: isFull ? -1 : -mostAudits } }),
              ...remembered(changeId),
            },
          },
        );
        return matchedCount === 1 ? { done: { outcome: "moved", entry: after } } : "lost";
      } catch (error) {
        if (duplicateOf(error) !== "number") throw error;
        await findTaken(db, after, taken);
        return "lost";
      }
    });
  }

  function isWritten({ id: _id, businessId }: Entry, changes: readonly string[]) {
    return confirmed(entries, { _id, businessId, changes: { $in: changes } });
  }

  const byId = (businessId: string, entryId: string) => () =>
    readOne(entries, { _id: entryId, businessId });

  const page: EntryStore["page"] = async (
    businessId,
    queueId,
    asked,
    status,
    { limit, after, orEarlier = false },
  ) => {
    const cursor = after === null ? null : await read({ _id: after, businessId });
    const isOfQueue = cursor?.queueId === queueId;
    if (after !== null && !isOfQueue) {
      return (await queueOf(businessId, queueId)) ? "cursor_unknown" : "queue_not_found";
    }
    const date = cursor ? listDay(asked, cursor.date, orEarlier) : asked;
    if (date === null) return "cursor_unknown";
    const before = (cursor?.tokenNumber ?? 0) + 1;
    const list = { businessId, date, queueId, ...(cursor && { tokenNumber: { $gte: before } }) };
    const mayWait = status === null || status === "WAITING";
    const [docs, counts] = await Promise.all([
      readAll(
        entries,
        { ...list, ...(status !== null && { status }) },
        { fields: entryOnly, sort: { tokenNumber: 1 }, limit: limit + 1 },
      ),
      mayWait ? countDay(db, businessId, date, { queueId, before }) : null,
    ]);
    // A queue with an entry exists, because it cannot be removed.
    if (docs.length === 0 && !cursor && !(await queueOf(businessId, queueId))) {
      return "queue_not_found";
    }
    const items = docs.slice(0, limit).map(readEntry);
    return { items: inLine(items, counts, queueId), more: docs.length > limit };
  };

  return {
    async get(businessId, entryId) {
      const doc = await read({ _id: entryId, businessId });
      if (!doc) return null;
      const { queueId, date, tokenNumber: before, status } = doc;
      const counts =
        status === "WAITING" ? await countDay(db, businessId, date, { queueId, before }) : null;
      const [found] = inLine([readEntry(doc)], counts, queueId);
      return found ?? null;
    },

    byIds: async (businessId, entryIds) => {
      const wanted = { _id: { $in: entryIds }, businessId };
      return (await readAll(entries, wanted, { fields: entryOnly })).map(readEntry);
    },

    page,
    list: async (...asked) => encodedEntryList(await page(...asked)),
    issue: tokenIssuer(db, time),

    async move(businessId, entryId, move, now, { audit, ...how } = {}) {
      const outcome = await change<MoveOutcome>(
        byId(businessId, entryId),
        async (entry) => {
          const mustBeNext = move === "next" && entry.status === "WAITING";
          const next = mustBeNext ? await nextOf(entry) : null;
          if (next && next._id !== entryId) return { refused: { outcome: "not_next" } };
          return orInvalid(entry, moved(entry, move, { now, ...how }));
        },
        audit,
      );
      return outcome ?? { outcome: "not_found" };
    },

    async correct(businessId, entryId, correction, { audit, ...how } = {}) {
      const outcome = await change<MoveOutcome>(
        byId(businessId, entryId),
        (entry) => orInvalid(entry, corrected(entry, correction, how)),
        audit,
      );
      return outcome ?? { outcome: "not_found" };
    },

    async transfer(businessId, entryId, queueId, { audit, ...how } = {}) {
      const outcome = await change<Awaited<ReturnType<EntryStore["transfer"]>>>(
        byId(businessId, entryId),
        async (entry, taken) => {
          const [business, counts] = await Promise.all([
            readOne(businesses, { id: businessId }, { fields: { queues: 1, used: 1 } }),
            countDay(db, businessId, entry.date, { queueId }),
          ]);
          const lastNumber = Math.max(counts.lastNumber(queueId), taken.get(queueId) ?? 0);
          const queue = business?.queues.find(({ id }) => id === queueId);
          const target = queue ? { queue, lastNumber } : null;
          const refusal = refuseTransfer(entry, target, how);
          if (refusal === "invalid_state") return orInvalid(entry, null);
          if (refusal || !target) return { refused: { outcome: refusal ?? "queue_not_found" } };
          const isUsed = business?.used.includes(queueId);
          if (!isUsed && !(await markUsed(db, businessId, [queueId]))) {
            return { refused: { outcome: "queue_not_found" } }; // it was removed meanwhile
          }
          return { after: transferred(entry, target) };
        },
        audit,
      );
      return outcome ?? { outcome: "not_found" };
    },

    async callNext(businessId, queueId, date, now) {
      const outcome = await change<MoveOutcome>(
        () => nextOf({ businessId, queueId, date }),
        (entry) => orInvalid(entry, moved(entry, "call", { now })),
      );
      return outcome?.outcome === "moved" ? outcome.entry : null;
    },
  };
}

type Line = Pick<Entry, "businessId" | "queueId" | "date">;
type Taken = ReadonlyMap<string, number>;

function orInvalid(entry: Entry, after: Entry | null): Decided<MoveOutcome> {
  return after ? { after } : { refused: { outcome: "invalid_state", status: entry.status } };
}

/**
 * Entries of a queue in token order with their places in its line. The counts are those before the first of
 * them, and all waiting entries between two of them are among them.
 */
function inLine(items: readonly Entry[], counts: DayCounts | null, queueId: string): EntryInLine[] {
  const pace = counts?.pace(queueId);
  const ahead = new Map<boolean, Ahead>();
  return items.map((entry) => {
    if (!counts || !pace || entry.status !== "WAITING") return { entry, line: null };
    const found = ahead.get(entry.priority) ?? counts.ahead(queueId, entry.priority);
    ahead.set(entry.priority, behind(found, entry.workMinutes));
    return { entry, line: { ahead: found, pace } };
  });
}
