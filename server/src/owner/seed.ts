import { limits } from "@queue-api/contract";
import type { Store } from "../operations/store.js";
import type { CreationContext } from "./creation-context.js";
import { type BusinessImport, importBusinesses } from "./import-business.js";
import { OwnerError } from "./owner-error.js";
import { recordsOf, type SeedContext, type SeededBusiness } from "./seed-records.js";
import { referenceIssues } from "./seed-references.js";
import { type SeedInput, seedFile } from "./seed-schema.js";
import { check, type ValidationIssue } from "./validation-issues.js";

export type { SeedInput };

/** How to read a seed file. */
export interface SeedOptions extends CreationContext {
  /** Whether to replace an existing business and delete all its data. Default: false, the import is refused. */
  readonly replace?: boolean;
  /**
   * Called with the number of entries and appointments written so far, and their total.
   */
  readonly onProgress?: (written: number, total: number) => void;
  /** Called with the result of each business as soon as it is written. If a later one fails, it stays. */
  readonly onBusiness?: (slug: string, seeded: SeededBusiness) => void;
  /**
   * Ends the import before its next write, and it rejects with the signal's reason. A business is then written whole or
   * not at all. Default: none.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The result of an import: ids and keys by slug. */
export interface SeedResult {
  readonly businesses: Readonly<Record<string, SeededBusiness>>;
}

/** A seed file that cannot be used, with every issue by its path. */
export class InvalidSeedError extends OwnerError {
  constructor(readonly issues: readonly ValidationIssue[]) {
    super({ code: "invalid_seed", issues });
  }
}

/** The records of a seed file, not yet stored, in the order of the file. */
export interface ReadSeed {
  /** The content of the file with all defaults: a copy, which can be read again. */
  readonly content: object;
  readonly imports: readonly BusinessImport[];
  /** The total number of entries and appointments. */
  readonly total: number;
  readonly result: SeedResult;
}

/**
 * Makes records from a seed file's parsed JSON.
 *
 * @throws InvalidSeedError if the file is invalid.
 */
export function readSeed(json: unknown, context: SeedContext): ReadSeed {
  const checked = check(seedFile, json);
  const issues = [...(checked.ok ? [] : checked.issues), ...referenceIssues(json, context.now)];
  if (!checked.ok || issues.length > 0) throw new InvalidSeedError(issues);

  const made = checked.value.businesses.map((business) => recordsOf(business, context));
  const imports = made.map(({ records }) => records);
  const overfull = imports.flatMap(overfullQueues);
  if (overfull.length > 0) throw new InvalidSeedError(overfull);
  const sizes = imports.map(({ entries, appointments }) => entries.length + appointments.length);
  return {
    content: checked.value,
    imports,
    total: sizes.reduce((sum, size) => sum + size, 0),
    result: {
      businesses: Object.fromEntries(
        made.map(({ records, seeded }) => [records.business.slug, seeded]),
      ),
    },
  };
}

/** An issue for each queue with more entries on a day than it may give. */
function overfullQueues(
  { queues, entries }: BusinessImport,
  businessAt: number,
): ValidationIssue[] {
  const max = limits.queueTokensPerDay;
  const overfull = new Set(
    entries.filter(({ tokenNumber }) => tokenNumber > max).map(({ queueId }) => queueId),
  );
  const message = `must contain at most ${max} entries of one day`;
  return queues.flatMap(({ id }, at) => {
    const path = `businesses[${businessAt}].queues[${at}].entries`;
    return overfull.has(id) ? [{ path, message }] : [];
  });
}

/**
 * Stores everything that a seed file describes, each business whole or not at all. If a slug exists and
 * `replace` is false, stores nothing. `json`: the parsed file.
 *
 * @throws InvalidSeedError if the file is invalid.
 * @throws OwnerError if a slug exists and `replace` is false.
 */
export async function importSeed(
  store: Store,
  json: unknown,
  { now, random, replace = false, onProgress, onBusiness, signal }: SeedOptions,
): Promise<SeedResult> {
  const { imports, total, result } = readSeed(json, { now, random });
  let done = 0;
  onProgress?.(0, total);
  const onBatch = (records: number) => {
    done += records;
    onProgress?.(done, total);
    signal?.throwIfAborted();
  };
  const outcome = await importBusinesses(store, imports, {
    replace,
    signal,
    onBatch,
    onBusiness: (slug) => onBusiness?.(slug, result.businesses[slug] as SeededBusiness),
  });
  if (outcome.outcome === "slug_exists") {
    const path = `businesses[${outcome.at}].slug`;
    throw new OwnerError({ code: "slug_taken", path, written: outcome.written });
  }
  return result;
}
