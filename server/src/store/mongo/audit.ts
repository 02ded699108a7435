import type { Clock } from "../../rules/ports.js";
import type { Listing } from "../port.js";
import { audited, type Stored } from "../tables.js";
import type { CommandRunner } from "./command-runner.js";
import type { Database } from "./connection.js";
import { type Doc, maxEmbeddedAuditRows, recordOf } from "./models.js";
import { orderOf, positionConditions } from "./reads.js";

/*
 * The audit log of a business is in two places: the collection `audit`, and the documents that were changed, each of
 * which holds the last rows of its changes. A row that moves is in both for a moment, never in none: it is stored in
 * the collection, then removed from its document. So whoever reads both reads the documents first.
 */

const tables = Object.keys(audited) as (keyof typeof audited)[];

/** How many documents one step of moving rows reads. */
const readBatchSize = 20;

/** The length of the first span of time that is searched for rows. Each further span is longer by a constant factor. */
const firstSpanMs = 600_000;
const growth = 4;

/** A span of time: the first instant is inclusive, the second exclusive. */
interface Span {
  readonly from: number;
  readonly until: number;
}

/** The audit rows in documents. */
export class EmbeddedAuditRows {
  readonly #models: Database["models"];
  readonly #commands: CommandRunner;
  readonly #now: Clock;

  constructor({ models }: Database, commands: CommandRunner, now: Clock) {
    this.#models = models;
    this.#commands = commands;
    this.#now = now;
  }

  /** At least the first rows of a list of the log of a business by time, as many as it wants. */
  async list(listing: Listing): Promise<Stored<"audit">[]> {
    const { after, from, to, descending = false, limit } = listing;
    const start = Number(after?.[0] ?? (descending ? Infinity : 0));
    const range = {
      from: Math.max(Number(from ?? 0), descending ? 0 : start),
      until: Math.min(Number(to ?? Infinity), descending ? start : Infinity) + 1,
    };
    const found: Stored<"audit">[] = [];
    for (const span of spansOf(range, descending, this.#now())) {
      const lists = await Promise.all(tables.map((table) => this.#rowsIn(table, span, listing)));
      found.push(...lists.flat().map((row) => recordOf("audit", row)));
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Removes at most `limit` rows that are older than an instant, or of a business. Returns how many. */
  async remove(
    which: { readonly before: number } | { readonly businessId: string },
    limit: number,
  ) {
    const isOld = "before" in which;
    let removed = 0;
    for (const table of tables) {
      const filter = isOld
        ? { "audits.at": { $exists: true, $lt: which.before } }
        : { [audited[table]]: which.businessId, "audits.at": { $exists: true } };
      while (removed < limit) {
        const docs = await this.#holding(table, filter);
        const rows = docs
          .flatMap(({ audits }) => audits)
          .filter(({ at }) => !isOld || at < which.before)
          .slice(0, limit - removed);
        if (rows.length === 0) break;
        await this.#pull(table, docs, rows);
        removed += rows.length;
      }
    }
    return removed;
  }

  /** Moves the oldest rows of the documents that hold too many to the log. */
  async move(store: (rows: readonly Stored<"audit">[]) => Promise<void>): Promise<void> {
    // The condition on the version is true for each document. Without it the index is not used.
    const filter = { [`audits.${maxEmbeddedAuditRows}`]: { $exists: true }, version: { $gte: 0 } };
    for (const table of tables) {
      for (;;) {
        const docs = await this.#holding(table, filter);
        const rows = docs.flatMap(({ audits }) => audits.slice(0, -maxEmbeddedAuditRows));
        if (rows.length === 0) break;
        await store(rows.map((row) => recordOf("audit", row)));
        await this.#pull(table, docs, rows);
      }
    }
  }

  #rowsIn(table: keyof typeof audited, { from, until }: Span, listing: Listing): Promise<Doc[]> {
    const at = { $gte: from, ...(until < Infinity && { $lt: until }) };
    const holders = {
      [audited[table]]: listing.where.businessId,
      "audits.at": { $exists: true }, // required to use the partial index
      audits: { $elemMatch: { at } },
    };
    return this.#commands.repeatable(() =>
      this.#models[table].aggregate<Doc>([
        { $match: holders },
        { $unwind: "$audits" },
        { $replaceRoot: { newRoot: "$audits" } },
        { $match: { $and: [{ at }, ...positionConditions("audit", listing)] } },
        { $sort: orderOf("audit", listing) },
        { $limit: listing.limit },
      ]),
    );
  }

  #holding(table: keyof typeof audited, filter: object): Promise<Holder[]> {
    return this.#commands.repeatable(() =>
      this.#models[table].find(filter).select("audits").limit(readBatchSize).lean<Holder[]>(),
    );
  }

  async #pull(table: keyof typeof audited, docs: readonly Holder[], rows: readonly Doc[]) {
    const filter = { _id: { $in: docs.map(({ _id }) => _id) } };
    const pull = { $pull: { audits: { _id: { $in: rows.map(({ _id }) => _id) } } } };
    await this.#commands.repeatable(() => this.#models[table].updateMany(filter, pull));
  }
}

/** A document with its audit rows. */
interface Holder {
  readonly _id: string;
  readonly audits: readonly (Doc & { readonly at: number })[];
}

/**
 * Divides a range into spans of growing length, in the order of a list. Few rows are read where they are dense, and few
 * steps are needed where they are rare.
 */
function* spansOf({ from, until }: Span, descending: boolean, now: number): Iterable<Span> {
  let [first, end] = [from, until];
  for (let length = firstSpanMs; first < end; length *= growth) {
    if (descending) {
      const start = Math.max(first, Math.min(end, now) - length);
      yield { from: start, until: end };
      end = start;
    } else {
      const stop = first + length > now ? end : Math.min(end, first + length);
      yield { from: first, until: stop };
      first = stop;
    }
  }
}

/** The first rows of several lists, each once. */
export function firstRows(
  rows: readonly Stored<"audit">[],
  { descending = false, limit }: Listing,
): Stored<"audit">[] {
  const order = descending ? -1 : 1;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...byId.values()]
    .sort((a, b) => order * (a.at - b.at || (a.id < b.id ? -1 : 1)))
    .slice(0, limit);
}
