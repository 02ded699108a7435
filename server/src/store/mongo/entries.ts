import { type Ahead, behind } from "../../rules/line.js";
import { listDay } from "../../rules/list-day.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import type { EntryInLine } from "../../rules/resources.js";
import {
  corrected,
  decideTransfer,
  type MoveOutcome,
  moved,
  outcomeOf,
  type TransferOutcome,
} from "../../rules/transitions.js";
import type { EntryStore } from "../port/entries.js";
import { Batches } from "./batches.js";
import { noteUsed } from "./businesses.js";
import { changeOne } from "./changes.js";
import { type Database, readAll, readOne, storeAll } from "./connection.js";
import {
  type EntryDoc,
  entryOnly,
  expiring,
  readEntry,
  tokensOf,
  withoutKeys,
  writeAuditRow,
} from "./documents.js";
import { findHeld, findTaken, tokenIssuer } from "./issue.js";
import { countDay, type DayCounts } from "./line.js";
import type { StoreTime } from "./time.js";

/** How many audit rows an entry holds. When it has more, they move to the log. */
const mostAudits = 100;

/** What a change of an entry is decided to be, or that what was read was changed meanwhile. */
type EntryChange<Outcome> =
  | { readonly decided: Outcome; readonly onDuplicate?: () => Promise<void> }
  | "lost";

export function mongoEntries(db: Database, time: StoreTime): EntryStore {
  const { entries, businesses } = db;
  /** One move to a queue at a time, so that those of this process do not race for its next number. */
  const inTurn = new Batches<() => Promise<TransferOutcome>, TransferOutcome>(
    (moves) => Promise.all(moves.map((move) => move())),
    1,
  );

  /** Reads entries of any business that are asked for at the same time in one command. */
  const reads = new Batches<{ businessId: string; entryId: string }, EntryDoc | null>(
    async (asked) => {
      const wanted = { _id: { $in: asked.map(({ entryId }) => entryId) } };
      const owners = { businessId: { $in: asked.map(({ businessId }) => businessId) } };
      const docs = await readAll(entries, { ...wanted, ...owners }, { fields: entryOnly });
      const found = new Map(docs.map((doc) => [`${doc.businessId} ${doc._id}`, doc]));
      return asked.map(({ businessId, entryId }) => found.get(`${businessId} ${entryId}`) ?? null);
    },
  );

  const queueOf = (id: string, queueId: string) =>
    readOne(businesses, { id, "queues.id": queueId }, { fields: { id: 1 } });

  /** The entry at position 1 of a line. */
  async function nextOf(businessId: string, queueId: string, date: string) {
    const waiting = { businessId, date, queueId, status: "WAITING" as const };
    return readOne(entries, waiting, { sort: { priority: -1, tokenNumber: 1 } });
  }

  /** Changes an entry, with {@link changeOne}. Null if there is no such entry. */
  function change<Outcome extends TransferOutcome>(
    businessId: string,
    find: () => Promise<EntryDoc | null>,
    decide: (entry: Entry) => EntryChange<Outcome> | Promise<EntryChange<Outcome>>,
    audit: AuditRow | null = null,
  ): Promise<Outcome | null> {
    const row = audit && writeAuditRow(audit);
    return changeOne<EntryDoc, Outcome>(entries, { businessId }, find, async (doc) => {
      const made = await decide(readEntry(doc));
      if (made === "lost") return made;
      const { decided, onDuplicate } = made;
      if (decided.outcome !== "moved") return { result: decided };
      const after = decided.entry;
      const { id, businessId, revision, ...fields } = after;
      const update = { $set: { ...fields, tokens: tokensOf(after) }, $push: {} };
      if (row) {
        const isFull = doc.audits.length >= mostAudits;
        if (isFull) await storeAll(db.audit, doc.audits);
        const { audits, ...expiry } = expiring(
          doc.keyed ?? null,
          isFull ? [row] : [...doc.audits, row],
        );
        Object.assign(update.$set, expiry, { audits });
      }
      return {
        result: decided,
        update,
        ...(onDuplicate && { onDuplicate }),
      };
    });
  }

  async function changeById<Outcome extends TransferOutcome>(
    businessId: string,
    entryId: string,
    decide: (entry: Entry) => EntryChange<Outcome> | Promise<EntryChange<Outcome>>,
    audit?: AuditRow | null,
  ): Promise<Outcome | MoveOutcome> {
    const find = () => readOne(entries, { _id: entryId, businessId });
    return (await change(businessId, find, decide, audit)) ?? { outcome: "not_found" };
  }

  const page: EntryStore["page"] = async (businessId, queueId, asked, status, request) => {
    const { limit, after, orEarlier = false } = request;
    const cursor = after === null ? null : await readOne(entries, { _id: after, businessId });
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
      const doc = await reads.run("", { businessId, entryId });
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
    replayOf: async (businessId, keyed) => {
      const held = await findHeld(db, time, businessId, keyed);
      return held?.decided ?? null;
    },
    issue: tokenIssuer(db, time),

    move: (businessId, entryId, move, now, { audit, ...how } = {}) =>
      changeById<MoveOutcome>(
        businessId,
        entryId,
        async (entry) => {
          const mustBeNext = move === "next" && entry.status === "WAITING";
          const next = mustBeNext ? await nextOf(businessId, entry.queueId, entry.date) : null;
          if (next && next._id !== entryId) return { decided: { outcome: "not_next" } };
          return { decided: outcomeOf(entry, moved(entry, move, { now, ...how })) };
        },
        audit,
      ),

    correct: (businessId, entryId, correction, { audit, ...how } = {}) =>
      changeById(
        businessId,
        entryId,
        (entry) => ({ decided: outcomeOf(entry, corrected(entry, correction, how)) }),
        audit,
      ),

    transfer: (businessId, entryId, queueId, { audit, ...how } = {}) =>
      inTurn.run(`${businessId} ${queueId}`, () => {
        /** Numbers of the queue that a person had who was moved away. */
        const taken = new Map<string, number>();
        return changeById<TransferOutcome>(
          businessId,
          entryId,
          async (entry) => {
            const [business, counts] = await Promise.all([
              readOne(businesses, { id: businessId }, { fields: withoutKeys }),
              countDay(db, businessId, entry.date, { queueId }),
            ]);
            const lastNumber = Math.max(counts.lastNumber(queueId), taken.get(queueId) ?? 0);
            const queue = business?.queues.find(({ id }) => id === queueId);
            const target = queue ? { queue, lastNumber } : null;
            const decided = decideTransfer(entry, target, how);
            if (decided.outcome !== "moved" || !business) return { decided };
            if (!(await noteUsed(db, business, [decided.entry]))) return "lost";
            return { decided, onDuplicate: () => findTaken(db, decided.entry, taken) };
          },
          audit,
        );
      }),

    async callNext(businessId, queueId, date, now) {
      const outcome = await change<MoveOutcome>(
        businessId,
        () => nextOf(businessId, queueId, date),
        (entry) => ({ decided: outcomeOf(entry, moved(entry, "call", { now })) }),
      );
      return outcome?.outcome === "moved" ? outcome.entry : null;
    },
  };
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
