import type { Random } from "../rules/ports.js";
import type { Store } from "../store/store.js";
import { check, type Fault, faultLine } from "./faults.js";
import { OwnerError } from "./owner-error.js";
import { recordsOf, type SeededBusiness } from "./seed-records.js";
import { referenceFaults } from "./seed-references.js";
import { type SeedInput, seedFile } from "./seed-schema.js";

export type { SeedInput };

/** How to read a seed file. */
export interface SeedOptions {
  /** The instant that `today` and `minutesAgo` count from: the store's time. */
  readonly now: number;
  readonly random: Random;
  /** Whether a business that exists is replaced, with all that belonged to it. Default: refused. */
  readonly replace?: boolean;
  /** Called now and then with the entries and appointments written so far, of how many. */
  readonly onProgress?: (written: number, total: number) => void;
}

/** What was written, by slug. */
export interface SeedResult {
  readonly businesses: Readonly<Record<string, SeededBusiness>>;
}

/** A seed file that cannot be used, with every fault by its path. */
export class SeedFaultsError extends OwnerError {
  constructor(readonly faults: readonly Fault[]) {
    const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
    super(`the seed file has ${count}, nothing was written: ${faultLine(faults)}`);
  }
}

/**
 * Writes all that a seed file describes, or nothing. The file is its parsed JSON. Throws
 * {@link SeedFaultsError} when the file is wrong and {@link OwnerError} when a slug exists already.
 */
export async function importSeed(
  store: Store,
  json: unknown,
  { now, random, replace = false, onProgress }: SeedOptions,
): Promise<SeedResult> {
  const checked = check(seedFile, json);
  const faults = [...(checked.ok ? [] : checked.faults), ...referenceFaults(json, now)];
  if (!checked.ok || faults.length > 0) throw new SeedFaultsError(faults);

  const { businesses } = checked.value;
  const total = businesses
    .flatMap(({ appointments, queues }) => [appointments, ...queues.map((queue) => queue.entries)])
    .reduce((sum, list) => sum + list.length, 0);
  const made = businesses.map((business) => recordsOf(business, now, random));

  const result = await store.importBusinesses(
    made.map(({ records }) => records),
    { replace, ...(onProgress && { onProgress: (written) => onProgress(written, total) }) },
  );
  if (result.outcome === "slug_exists") {
    const at = businesses.findIndex(({ slug }) => slug === result.slug);
    throw new OwnerError(
      `businesses[${at}].slug exists already, nothing was written; use --replace to replace that business with all that belongs to it`,
    );
  }
  return {
    businesses: Object.fromEntries(
      made.map(({ records, seeded }) => [records.business.slug, seeded]),
    ),
  };
}
