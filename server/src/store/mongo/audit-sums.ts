import { hash } from "node:crypto";
import { Types } from "mongoose";
import { sumName, sumOf } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import type { AuditDoc } from "./collections/audit.js";

/** The maximum number of sums that one process adds to. */
const mostOpen = 10_000;

/** What one process has added to a sum. */
interface Added {
  /** The name of this process's part of the sum. */
  readonly part: string;
  count: number;
}

/**
 * Adds to sums that several processes share. Each process stores its own part with its total so far, so a
 * write with an unknown result can be repeated.
 */
export class AuditSums {
  readonly #open = new Map<string, Added>();
  readonly #writes = new WeakMap<AuditRow, ReturnType<typeof writeOf>>();

  /** The write that adds a row to its sum. The same row always gives the same write. */
  write(row: AuditRow, doc: AuditDoc) {
    const known = this.#writes.get(row);
    if (known) return known;
    const added = this.#addedTo(sumName(row));
    added.count += sumOf(row).count;
    const write = writeOf(row, doc, added);
    this.#writes.set(row, write);
    return write;
  }

  #addedTo(name: string): Added {
    const known = this.#open.get(name);
    if (known) return known;
    const added = { part: new Types.ObjectId().toHexString(), count: 0 };
    this.#open.set(name, added);
    const [oldest] = this.#open.keys();
    if (this.#open.size > mostOpen && oldest !== undefined) this.#open.delete(oldest);
    return added;
  }
}

/** The equivalent of `withSum`: the stored last request remains unless this one is later. */
function writeOf(row: AuditRow, { order }: AuditDoc, { part, count }: Added) {
  const { businessId, keyId, at, status, method, path, ip, requestId } = row;
  const { lastAt } = sumOf(row);
  const isLast = { $gte: [lastAt, { $ifNull: ["$lastAt", 0] }] };
  const ofTheLast = Object.entries({ method, path, ip, requestId }).map(([field, value]) => [
    field,
    { $cond: [isLast, { $literal: value }, `$${field}`] },
  ]);
  const once = Object.entries({ order, businessId, keyId, at, status }).map(([field, value]) => [
    field,
    { $ifNull: [`$${field}`, { $literal: value }] },
  ]);
  const added = { $max: [`$by.${part}`, count] };
  return {
    updateOne: {
      filter: { _id: idOf(sumName(row)), businessId },
      update: [
        {
          $set: {
            ...Object.fromEntries([...once, ...ofTheLast]),
            lastAt: { $max: ["$lastAt", lastAt] },
            by: { $mergeObjects: ["$by", { [part]: added }] },
          },
        },
      ],
      upsert: true,
    },
  };
}

/** An id that is the same in every process. */
function idOf(name: string): Types.ObjectId {
  return Types.ObjectId.createFromHexString(hash("sha256", name, "hex").slice(0, 24));
}
