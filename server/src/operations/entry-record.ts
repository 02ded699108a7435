import type { Entry, EntryKey } from "../rules/records.js";
import { allTokens, tokenKey } from "../rules/token.js";
import type { EntryView, Tx } from "../store/port.js";
import type { EntryRecord, Stored } from "../store/tables.js";

/** The entry of a record, which may be read without its key. */
export function entryOf(record: EntryView & { readonly keyed?: EntryKey | null }): Entry {
  const { tokens, uses, keyed, changedAt, version, ...entry } = record;
  return entry;
}

/** The record of an entry. `keyed`: the key that it holds; null for none. */
export function entryRecord(entry: Entry, keyed: EntryKey | null, changedAt: number): EntryRecord {
  const { serviceId } = entry;
  const tokens = allTokens(entry);
  const queueIds = tokens.map(({ queueId }) => queueId);
  const uses = [...new Set(serviceId === null ? queueIds : [...queueIds, serviceId])];
  return { ...entry, tokens: tokens.map(tokenKey), uses, keyed, changedAt };
}

/** Writes an entry after a change. */
export async function keepEntry(tx: Tx, before: Stored<"entries">, entry: Entry): Promise<void> {
  const last = await tx.last(entry);
  const changedAt = Math.max(tx.now, last.changedAt + 1);
  tx.update("entries", before, entryRecord(entry, before.keyed, changedAt));
}
