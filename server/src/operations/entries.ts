import type { EntryStatus } from "@queue-api/contract";
import { businessDay } from "../rules/business-day.js";
import { readEntryCursor, writeEntryCursor } from "../rules/cursor.js";
import { aheadIn, paceIn } from "../rules/day-counts.js";
import { behind, isWaiting } from "../rules/line.js";
import type { Page, PageRequest } from "../rules/list.js";
import type { Ahead, Entry, EntryInLine } from "../rules/records.js";
import {
  applyTransition,
  type Correction,
  corrected,
  decideTransfer,
  type TransferOutcome,
  type Transition,
  type TransitionContext,
  type TransitionOutcome,
  transitionOutcome,
} from "../rules/transitions.js";
import { RunAgain } from "../store/errors.js";
import type { Tx, ViewTx } from "../store/port.js";
import type { Stored } from "../store/tables.js";
import { entryOf, keepEntry } from "./entry-record.js";
import { change, view } from "./operation.js";
import { createToken, creationMutex, replayOf } from "./token-creation.js";
import { mayUseService, noteUseFirst } from "./uses.js";

type How = Omit<TransitionContext, "now">;
type Seen = Pick<TransitionContext, "seen">;

/** `status`: only the entries with it. Default: all. */
type EntryPageRequest = PageRequest & { readonly status?: EntryStatus | undefined };

type PageOutcome = Page<EntryInLine> | "queue_not_found" | "cursor_unknown";

/** The entries of a business's queues: reading them, issuing tokens and serving people. */
export const entries = {
  /**
   * An entry with its place in the line; null if the business has none with this id. The caller has read the business: an
   * import that replaces it leaves its entries for the housekeeper.
   */
  get: view(async (tx, businessId: string, entryId: string): Promise<EntryInLine | null> => {
    const record = await tx.find("entries", { businessId, id: entryId });
    return record && ((await inLine(tx, [entryOf(record)]))[0] ?? null);
  }),

  /** A day's entries in token order. */
  page: view(
    async (
      tx,
      businessId: string,
      queueId: string,
      date: string,
      { limit, after, status }: EntryPageRequest,
    ): Promise<PageOutcome> => {
      const list = { kind: "entries", businessId, queueId, date } as const;
      const position = after === null ? 0 : readEntryCursor(list, after);
      const [business, found] = await Promise.all([
        tx.find("businesses", { id: businessId }),
        position === null
          ? []
          : tx.list("entries", {
              where: { businessId, date, queueId, ...(status && { status }) },
              order: ["tokenNumber"],
              after: [position],
              limit: limit + 1,
              without: "keyed",
            }),
      ]);
      if (!business?.queues.some(({ id }) => id === queueId)) return "queue_not_found";
      if (position === null) return "cursor_unknown";
      const shown = found.slice(0, limit).map(entryOf);
      const last = found.length > limit ? shown.at(-1) : undefined;
      return {
        items: await inLine(tx, shown),
        nextCursor: last ? writeEntryCursor(list, last.tokenNumber) : null,
      };
    },
  ),

  /** See {@link createToken}. */
  create: change(createToken, { mutex: creationMutex }),

  /** See {@link replayOf}. */
  replayOf: view(replayOf),

  /** Applies `applyTransition` to an entry. Its undo also undoes a transfer. */
  transition: change(
    async (
      tx,
      businessId: string,
      entryId: string,
      transition: Transition,
      now: number,
      how: How = {},
    ): Promise<TransitionOutcome> => {
      const record = await tx.find("entries", { businessId, id: entryId });
      if (!record) return { outcome: "not_found" };
      const entry = entryOf(record);
      if (transition === "next" && entry.status === "WAITING") {
        const [place] = await inLine(tx, [entry]);
        if (place?.line && place.line.ahead.people > 0) return { outcome: "not_next" };
      }
      return keepChange(
        tx,
        record,
        transitionOutcome(entry, applyTransition(entry, transition, { now, ...how })),
      );
    },
  ),

  /**
   * Transfers the person of an entry of today to another queue: decides with `decideTransfer`, which gives the entry
   * the next number of that queue.
   */
  transfer: change(
    async (
      tx,
      businessId: string,
      entryId: string,
      queueId: string,
      how: Seen = {},
    ): Promise<TransferOutcome> => {
      const [record, business] = await Promise.all([
        tx.find("entries", { businessId, id: entryId }),
        tx.find("businesses", { id: businessId }),
      ]);
      if (!record || !business) return { outcome: "not_found" };
      const queue = business.queues.find(({ id }) => id === queueId);
      const last = await tx.last({ businessId, date: record.date, queueId });
      const target = queue ? { queue, lastNumber: last.number } : null;
      const today = businessDay(tx.now, business.timezone);
      const decided = decideTransfer(entryOf(record), target, { ...how, today });
      if (decided.outcome === "changed") noteUseFirst(tx, business, [queueId]);
      return keepChange(tx, record, decided);
    },
  ),

  /** Corrects the name, phone number or service of an entry, with `corrected`. */
  correct: change(
    async (
      tx,
      businessId: string,
      entryId: string,
      correction: Correction,
      how: Seen = {},
    ): Promise<TransitionOutcome | { readonly outcome: "service_unknown" }> => {
      const [record, business] = await Promise.all([
        tx.find("entries", { businessId, id: entryId }),
        tx.find("businesses", { id: businessId }),
      ]);
      if (!record || !business) return { outcome: "not_found" };
      const { serviceId } = correction;
      const entry = entryOf(record);
      const isOther = serviceId !== null && serviceId !== entry.serviceId;
      if (isOther && !mayUseService(tx, business, serviceId)) {
        return { outcome: "service_unknown" };
      }
      return keepChange(tx, record, transitionOutcome(entry, corrected(entry, correction, how)));
    },
  ),

  /** Calls the entry at position 1 of that day; null if none is waiting. */
  callNext: change(
    async (
      tx,
      businessId: string,
      queueId: string,
      date: string,
      now: number,
    ): Promise<Entry | null> => {
      const [first] = await tx.line({ businessId, date, queueId });
      if (!first) return null;
      const record = await tx.find("entries", { businessId, id: first.id });
      const called =
        record?.queueId === queueId && applyTransition(entryOf(record), "call", { now });
      if (!called) throw new RunAgain(); // another process changed them since the line was read
      await keepEntry(tx, record, called);
      return called;
    },
    { mutex: (businessId, queueId, date) => `call ${businessId} ${queueId} ${date}` },
  ),
};

async function keepChange<Outcome extends TransferOutcome>(
  tx: Tx,
  record: Stored<"entries">,
  decided: Outcome,
): Promise<Outcome> {
  if (decided.outcome === "changed") await keepEntry(tx, record, decided.entry);
  return decided;
}

/**
 * Entries of one queue and day in token order with their places. All who wait between two of them are among them,
 * so one count of the others is enough.
 */
async function inLine(tx: ViewTx, found: readonly Entry[]): Promise<EntryInLine[]> {
  const waiting = found.filter(isWaiting);
  const [first, last] = [waiting[0], waiting.at(-1)];
  if (!first || !last) return found.map((entry) => ({ entry, line: null }));
  const groups = await tx.count(first, { first: first.tokenNumber, last: last.tokenNumber });
  const pace = paceIn(groups);
  const ahead = { first: aheadIn(groups, true), others: aheadIn(groups, false) };
  for (const { workMinutes } of waiting.filter(({ priority }) => priority)) {
    ahead.others = behind(ahead.others, workMinutes);
  }
  return found.map((entry) => {
    if (!isWaiting(entry)) return { entry, line: null };
    const line = entry.priority ? "first" : "others";
    const own: Ahead = ahead[line];
    ahead[line] = behind(own, entry.workMinutes);
    return { entry, line: { ahead: own, pace } };
  });
}
