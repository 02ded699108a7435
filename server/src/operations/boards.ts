import { hash } from "node:crypto";
import type { Entry, Queue, Service } from "../rules/records.js";
import type { ViewTx } from "../store/port.js";
import { businessOf } from "./businesses.js";
import { entryOf } from "./entry-record.js";
import { view } from "./operation.js";
import { type QueueDay, queueDay } from "./queues.js";

/** A queue on one day, as the board shows it. */
export interface QueueOnBoard extends QueueDay {
  /** The entries in service, in the order in which they were called. */
  readonly inService: readonly Entry[];
  /** The entry at position 1; null if none is waiting. */
  readonly next: Entry | null;
  /** Part of the waiting entries, in the order in which they will be called. */
  readonly line: readonly Entry[];
}

/** The queues of a business on one day. */
export interface Board {
  /** The version of the board when the rest was read, or just before. */
  readonly version: string;
  readonly services: readonly Service[];
  readonly queues: readonly QueueOnBoard[];
}

/** Part of a queue's line. */
export interface LinePart {
  readonly queueId: string;
  /** Position of the first entry; 1 is next. */
  readonly from: number;
  /** The maximum number of entries. */
  readonly limit: number;
}

/** The part of each line that a board shows. */
export interface BoardRequest {
  /** The maximum number of waiting entries of each queue, from position 1 on. */
  readonly limit: number;
  /** The part of one queue's line to read instead, or null. */
  readonly part: LinePart | null;
}

/** The board of a business: all of its queues on one day. */
export const boards = {
  /** The entries on these days that still wait or are in service, in the order of day, queue and token. At most `limit`. */
  notEnded: view(
    async (tx, businessId: string, dates: readonly string[], limit: number): Promise<Entry[]> => {
      const business = await tx.find("businesses", { id: businessId });
      const queueIds = (business?.queues ?? []).map(idOf);
      const status = ["WAITING", "IN_SERVICE"];
      const found = await tx.list("entries", {
        where: { businessId, date: dates, queueId: queueIds, status },
        limit,
        without: "keyed",
      });
      const place = ({ queueId }: Entry) => queueIds.indexOf(queueId);
      return found
        .map(entryOf)
        .sort(
          (a, b) =>
            a.date.localeCompare(b.date) || place(a) - place(b) || a.tokenNumber - b.tokenNumber,
        );
    },
  ),

  /** All queues of a business with their entries. */
  get: view(
    async (tx, businessId: string, date: string, { limit, part }: BoardRequest): Promise<Board> => {
      const version = await versionOf(tx, businessId, date);
      const [business, groups, waiting] = await Promise.all([
        tx.find("businesses", { id: businessId }),
        tx.count({ businessId, date }),
        tx.line({ businessId, date }),
      ]);
      const all = business?.queues ?? [];
      const shown = all.map((queue) => {
        const line = waiting.filter(({ queueId }) => queueId === queue.id);
        const { from, limit: max } = part?.queueId === queue.id ? part : { from: 1, limit };
        return { queue, line, next: line[0], part: line.slice(from - 1, from - 1 + max) };
      });
      const ids = shown.flatMap(({ next, part }) => (next ? [next, ...part] : part)).map(idOf);
      const [entries, served] = await Promise.all([
        entriesById(tx, [...new Set(ids)]),
        inService(tx, businessId, date, all),
      ]);
      const queues = shown.map(({ queue, line, next, part }) => {
        const own = groups.filter(({ queueId }) => queueId === queue.id);
        return {
          ...queueDay(queue, own, line),
          inService: served.filter(({ queueId }) => queueId === queue.id),
          next: (next && entries.get(next.id)) ?? null,
          line: part.flatMap(({ id }) => entries.get(id) ?? []),
        };
      });
      return { version, services: business?.services ?? [], queues };
    },
  ),

  /**
   * A version that changes whenever the result of `get` for that day changes, in any process. It costs two reads: the
   * business, and the last changes of the day. It may also differ if nothing changed, but it does not change without a
   * write.
   */
  version: view(versionOf),
};

/**
 * How many of the last changes of a day make its version. The last one is enough unless a process writes a change that
 * it began before this many others.
 */
const changesOfVersion = 16;

async function versionOf(tx: ViewTx, businessId: string, date: string): Promise<string> {
  const [business, changes] = await Promise.all([
    tx.find("businesses", { id: businessId }),
    tx.list("entries", {
      where: { businessId, date },
      order: ["changedAt"],
      descending: true,
      limit: changesOfVersion,
      without: "keyed",
    }),
  ]);
  const changeTags = changes.map(({ id, changedAt, revision }) => `${id} ${changedAt} ${revision}`);
  const settings = business && [businessOf(business), business.queues, business.services];
  const content = JSON.stringify([settings, date, changeTags.sort()]);
  return hash("sha256", content, "base64url");
}

async function entriesById(tx: ViewTx, ids: string[]): Promise<ReadonlyMap<string, Entry>> {
  const found = await tx.list("entries", {
    where: { id: ids },
    limit: ids.length,
    without: "keyed",
  });
  return new Map(found.map((record) => [record.id, entryOf(record)]));
}

/** The most entries in service that a board shows. */
const maxInService = 2_000;

async function inService(
  tx: ViewTx,
  businessId: string,
  date: string,
  queues: readonly Queue[],
): Promise<Entry[]> {
  const found = await tx.list("entries", {
    where: { businessId, date, queueId: queues.map(idOf), status: "IN_SERVICE" },
    limit: maxInService,
    without: "keyed",
  });
  return found
    .map(entryOf)
    .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.tokenNumber - b.tokenNumber);
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}
