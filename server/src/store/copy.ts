import { createHash } from "node:crypto";
import { everyPart } from "./every-part.js";
import { type Kind, kinds } from "./kept.js";
import type { Store } from "./store.js";

/** A copy that failed, or that differs from its source. The message is one line that says what to do. */
export class StoreCopyError extends Error {
  override readonly name = "StoreCopyError";
}

/** The number of records of each kind. */
export type CopyReport = Readonly<Record<Kind, number>>;

export interface CopyOptions {
  /** Called repeatedly with the number of records of a kind that have been copied or verified. */
  readonly onProgress?: (step: "copying" | "verifying", kind: Kind, records: number) => void;
}

/**
 * Copies all data of one store into another, and verifies the number of records of each kind and a checksum
 * over them. A copy that was interrupted can be started again. No program may write during a copy.
 *
 * @throws StoreCopyError if the target holds other data, or the copy differs.
 */
export async function copyStore(
  from: Store,
  to: Store,
  { onProgress }: CopyOptions = {},
): Promise<CopyReport> {
  await refuseOthers(from, to);
  const report: Partial<Record<Kind, number>> = {};
  const sums: Partial<Record<Kind, Sum>> = {};
  for (const kind of kinds) {
    const sum = new Sum();
    for await (const records of everyPart((after) => from.copying.dump(kind, after))) {
      await to.copying.load(kind, records, sum.count);
      for (const record of records) sum.add(record);
      onProgress?.("copying", kind, sum.count);
    }
    sums[kind] = sum;
    report[kind] = sum.count;
  }
  await to.copying.finish();
  for (const kind of kinds) {
    const sum = new Sum();
    for await (const records of everyPart((after) => to.copying.dump(kind, after))) {
      for (const record of records) sum.add(record);
      onProgress?.("verifying", kind, sum.count);
    }
    if (sum.text !== sums[kind]?.text) throw differs(kind, report[kind] ?? 0, sum.count);
  }
  return report as CopyReport;
}

/** Refuses a target with other data. A part of the same data from an interrupted copy is allowed. */
async function refuseOthers(from: Store, to: Store): Promise<void> {
  const known = new Set((await from.businesses.list()).map(({ id }) => id));
  const other = (await to.businesses.list()).find(({ id }) => !known.has(id));
  if (!other) return;
  throw new StoreCopyError(
    "The database to copy to contains other businesses, so nothing was copied. Choose an empty one.",
  );
}

function differs(kind: Kind, expected: number, found: number): StoreCopyError {
  const counts = expected === found ? "their contents differ" : `${expected} became ${found}`;
  return new StoreCopyError(
    `The copy differs from its source: of ${kind}, ${counts}. Stop all programs that write to either database, and copy again into an empty one.`,
  );
}

/** A checksum over records that does not depend on their order. */
class Sum {
  count = 0;
  #sum = 0n;

  add(record: object): void {
    const fields = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
    const digest = createHash("sha256").update(JSON.stringify(fields)).digest();
    this.#sum = BigInt.asUintN(64, this.#sum + digest.readBigUInt64BE());
    this.count++;
  }

  get text(): string {
    return `${this.count} ${this.#sum}`;
  }
}
