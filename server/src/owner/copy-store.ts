import { createHash } from "node:crypto";
import { everyPage } from "../operations/every-page.js";
import { type BusinessHead, recordKinds } from "../operations/imports.js";
import type { Store } from "../operations/store.js";
import { sortedFields } from "../rules/idempotency.js";
import type { Business } from "../rules/records.js";
import { addInBatches } from "./import-business.js";

/** A copy that failed, or that differs from its source. The message is one line that says what to do. */
export class StoreCopyError extends Error {
  override readonly name = "StoreCopyError";
}

const headKinds = ["businesses", "queues", "services", "keys", "accounts"] as const;
const kinds = [...headKinds, ...recordKinds] as const;

/** A kind of records that a copy counts. */
type CopiedKind = (typeof kinds)[number];

/** The number of records of each kind. */
export type CopyReport = Readonly<Record<CopiedKind, number>>;

export interface CopyOptions {
  /** Called repeatedly with the number of records of a kind that have been copied, or verified in one of the stores. */
  readonly onProgress?: (phase: "copying" | "verifying", kind: CopiedKind, records: number) => void;
}

/**
 * Copies all businesses of one store into another, one after the other, then reads both and compares a checksum over
 * their records. A copy that was interrupted goes on with the businesses that are missing. No program may write during a
 * copy.
 *
 * @throws StoreCopyError if the target is in use, holds other data or gets it from another copy, or the copy differs.
 */
export async function copyStore(
  from: Store,
  to: Store,
  { onProgress }: CopyOptions = {},
): Promise<CopyReport> {
  const businesses = await from.businesses.list();
  const there = await targetOf(to, businesses);
  const copied = new Sums((kind, records) => onProgress?.("copying", kind, records));
  for (const { id } of businesses.filter(({ id }) => !there.has(id))) {
    try {
      await to.imports.begin(id);
      const head = await readBusiness(from, id, copied, to);
      await to.imports.commit(head, { replace: false });
    } catch (error) {
      if (await to.imports.head(id).catch(() => null)) throw alsoCopied();
      throw error;
    }
  }
  const onVerified: OnCount = (kind, records) => onProgress?.("verifying", kind, records);
  const source = await sumsOf(from, onVerified);
  const target = await sumsOf(to, onVerified);
  for (const kind of kinds) if (source.text(kind) !== target.text(kind)) throw differs(kind);
  await to.imports.markCopying(false);
  return Object.fromEntries(kinds.map((kind) => [kind, target.count(kind)])) as CopyReport;
}

/** The sums over all businesses of a store. */
async function sumsOf(store: Store, onCount: OnCount): Promise<Sums> {
  const sums = new Sums(onCount);
  for (const { id } of await store.businesses.list()) await readBusiness(store, id, sums);
  return sums;
}

/** Prepares the target, and returns the ids of the businesses that an interrupted copy left there. */
async function targetOf(to: Store, businesses: readonly Business[]): Promise<ReadonlySet<string>> {
  const copied = new Set((await to.businesses.list()).map(({ id }) => id));
  const source = new Set(businesses.map(({ id }) => id));
  const isTarget = copied.size === 0 || (await to.imports.isCopying());
  if (!isTarget || [...copied].some((id) => !source.has(id))) {
    throw new StoreCopyError(
      "The database to copy to contains businesses, so nothing was copied. Choose an empty one.",
    );
  }
  await to.imports.markCopying(true);
  return copied;
}

/** Reads a business to its end, and adds its records to the sums, and to a store if one is given. */
async function readBusiness(
  from: Store,
  id: string,
  sums: Sums,
  to?: Store,
): Promise<BusinessHead> {
  const head = await from.imports.head(id);
  if (!head) throw differs("businesses");
  const { queues, services, keys, accounts, ...business } = head;
  const records = { businesses: [business], queues, services, keys, accounts };
  for (const kind of headKinds) sums.add(kind, records[kind]);
  for (const kind of recordKinds) {
    for await (const records of everyPage((after) => from.imports.read(id, kind, after))) {
      if (to) await addInBatches(to, id, kind, records);
      sums.add(kind, records);
    }
  }
  return head;
}

function alsoCopied(): StoreCopyError {
  return new StoreCopyError(
    "Another copy into the same database is running. Let it end, or stop it and start this one again.",
  );
}

function differs(kind: CopiedKind): StoreCopyError {
  return new StoreCopyError(
    `The copy differs from its source: ${kind} are not the same. Stop all programs that write to either database, and copy again into an empty one.`,
  );
}

/** Called with the number of records of a kind so far. */
type OnCount = (kind: CopiedKind, records: number) => void;

/** The number of records of each kind, and a checksum over them that does not depend on their order. */
class Sums {
  readonly #kinds = Object.fromEntries(kinds.map((kind) => [kind, { count: 0, sum: 0n }])) as {
    readonly [Kind in CopiedKind]: { count: number; sum: bigint };
  };
  readonly #onCount: OnCount;

  constructor(onCount: OnCount) {
    this.#onCount = onCount;
  }

  add(kind: CopiedKind, records: readonly object[]): void {
    const known = this.#kinds[kind];
    for (const record of records) {
      const digest = createHash("sha256").update(JSON.stringify(record, sortedFields)).digest();
      known.sum = BigInt.asUintN(64, known.sum + digest.readBigUInt64BE());
      known.count++;
    }
    this.#onCount(kind, known.count);
  }

  count(kind: CopiedKind): number {
    return this.#kinds[kind].count;
  }

  text(kind: CopiedKind): string {
    return `${this.count(kind)} ${this.#kinds[kind].sum}`;
  }
}
