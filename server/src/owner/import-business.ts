import { appointmentRecord } from "../operations/appointments.js";
import { entryRecord } from "../operations/entry-record.js";
import { importBatchSize, type RecordKind } from "../operations/imports.js";
import type { Store } from "../operations/store.js";
import type { ApiKey, Appointment, Business, Entry, Queue, Service } from "../rules/records.js";
import type { Tables } from "../store/tables.js";

/** A business with everything that a seed file can describe. Its ids are new. */
export interface BusinessImport {
  readonly business: Business;
  readonly queues: readonly Queue[];
  readonly services: readonly Service[];
  readonly keys: readonly ApiKey[];
  readonly entries: readonly Entry[];
  readonly appointments: readonly Appointment[];
}

export type ImportsOutcome =
  | { readonly outcome: "imported" }
  /** `at`: which one of the imports. Those before it are `written` if another program took the slug meanwhile. */
  | { readonly outcome: "slug_exists"; readonly at: number; readonly written: boolean };

interface ImportOptions {
  /** Whether to replace a business whose slug is taken. */
  readonly replace: boolean;
  /** Called with the number of records that each batch adds. */
  readonly onBatch?: (records: number) => void;
  /** Called with the slug of each business as soon as it is written. */
  readonly onBusiness?: (slug: string) => void;
  /** Ends the import before its next business, or before the write that completes one. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Imports businesses one after the other, each of them whole or not at all. If a slug is taken and nothing is
 * to be replaced, imports none of them.
 */
export async function importBusinesses(
  store: Pick<Store, "businesses" | "imports">,
  imports: readonly BusinessImport[],
  { replace, onBatch, onBusiness, signal }: ImportOptions,
): Promise<ImportsOutcome> {
  for (const [at, { business }] of imports.entries()) {
    const isTaken = !replace && (await store.businesses.find("slug", business.slug)) !== null;
    if (isTaken) return { outcome: "slug_exists", at, written: false };
  }
  for (const [at, { business, entries, appointments, keys, ...lists }] of imports.entries()) {
    const { id, slug } = business;
    signal?.throwIfAborted();
    await store.imports.begin(id);
    const issued = entries.map((entry) => entryRecord(entry, null, entry.issuedAt));
    await addInBatches(store, id, "entries", issued, onBatch);
    await addInBatches(store, id, "appointments", appointments.map(appointmentRecord), onBatch);
    const unused = keys.map((key) => ({ ...key, lastUsedAt: null }));
    const head = { ...business, ...lists, keys: unused, accounts: [] };
    signal?.throwIfAborted();
    const outcome = await store.imports.commit(head, { replace });
    if (outcome === "slug_exists") return { outcome, at, written: at > 0 };
    onBusiness?.(slug);
  }
  return { outcome: "imported" };
}

/** Adds records of one kind in batches. `onBatch` is called with the number of records in each batch. */
export async function addInBatches<K extends RecordKind>(
  { imports }: Pick<Store, "imports">,
  businessId: string,
  kind: K,
  records: readonly Tables[K][],
  onBatch?: ImportOptions["onBatch"],
): Promise<void> {
  for (let from = 0; from < records.length; from += importBatchSize) {
    const batch = records.slice(from, from + importBatchSize);
    await imports.add(businessId, kind, batch);
    onBatch?.(batch.length);
  }
}
