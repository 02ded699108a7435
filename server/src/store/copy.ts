import { createHash } from "node:crypto";
import { everyPart } from "./every-part.js";
import { type Kind, kinds } from "./kept.js";
import type { Store } from "./store.js";

/** A copy that cannot be made, or came out different. The message is one line that says what to do. */
export class StoreCopyError extends Error {
  override readonly name = "StoreCopyError";
}

/** How many records of each kind there are. */
export type CopyReport = Readonly<Record<Kind, number>>;

export interface CopyOptions {
  /** Called now and then with the records of a kind that are copied, or verified, so far. */
  readonly onProgress?: (step: "copying" | "verifying", kind: Kind, records: number) => void;
}

/**
 * Copies all that one store keeps into another, and verifies it: by the number of records of each kind,
 * and by a checksum over them. A copy that was stopped can be started again. No program may write during a copy.
 *
 * @throws StoreCopyError when the target holds other data, or the copy is not the same.
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

/** The target may hold part of the same data, from a copy that was stopped, but nothing else. */
async function refuseOthers(from: Store, to: Store): Promise<void> {
  const known = new Set((await from.businesses.list()).map(({ id }) => id));
  const other = (await to.businesses.list()).find(({ id }) => !known.has(id));
  if (!other) return;
  throw new StoreCopyError(
    "The database to copy to holds businesses of its own, nothing was copied. Choose an empty one.",
  );
}

function differs(kind: Kind, expected: number, found: number): StoreCopyError {
  const counts = expected === found ? "their contents differ" : `${expected} became ${found}`;
  return new StoreCopyError(
    `The copy is not the same: of ${kind}, ${counts}. Stop whatever writes to either database, and copy again into an empty one.`,
  );
}

/** A sum over records that does not depend on their order. */
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
