import { aheadIn, paceIn } from "../rules/day-counts.js";
import {
  decideKeyed,
  entryKey,
  type KeyedOutcome,
  type KeyedRequest,
} from "../rules/idempotency.js";
import type { Receipt } from "../rules/records.js";
import {
  type CreationRefusal,
  newEntry,
  refuseCreation,
  type TokenRequest,
} from "../rules/token-creation.js";
import type { Tx, ViewTx } from "../store/port.js";
import type { Stored } from "../store/tables.js";
import { entryRecord } from "./entry-record.js";
import { noteUseFirst } from "./uses.js";

/** A request to create a token. */
export interface CreationRequest extends TokenRequest {
  /** Null if the creation has no idempotency key. */
  readonly keyed: KeyedRequest | null;
  /** The URL of the entry, for the receipt. Default: null, none. */
  readonly location?: string | null;
}

export type CreationOutcome =
  | { readonly outcome: "created"; readonly receipt: Receipt }
  | KeyedOutcome
  | { readonly outcome: CreationRefusal };

/** Creations of one business and day run one after the other, so that they do not make each other run again. */
export function creationMutex(businessId: string, { date }: Pick<CreationRequest, "date">): string {
  return `${businessId} ${date}`;
}

/**
 * Creates a token. A key is looked up before anything is written: a replay writes nothing, and wins over a refusal.
 * What is written is one record: the entry with the next number of its queue and its sequence in the day, its key and
 * its receipt. Unique indexes decide if two creations take the same number, sequence or key.
 */
export async function createToken(
  tx: Tx,
  businessId: string,
  request: CreationRequest,
): Promise<CreationOutcome> {
  const { queueId, serviceId, date, keyed, location = null } = request;
  const day = { businessId, date, queueId };
  const [holder, business, last] = await Promise.all([
    keyed && holderOf(tx, businessId, keyed.key),
    tx.find("businesses", { id: businessId }),
    tx.last(day),
  ]);
  const held = keyed && holder && decideKeyed(keyed, holder.keyed, tx.expiry);
  if (held) return held;
  if (holder) tx.updateFirst("entries", holder, { keyed: null }); // the key has expired

  const queue = business?.queues.find(({ id }) => id === queueId) ?? null;
  const service = business?.services.find(({ id }) => id === serviceId) ?? null;
  const dailyTokenLimit = business?.dailyTokenLimit ?? null;
  const facts = { service, lastNumber: last.number, lastSequenceInDay: last.sequence };
  const refusal = refuseCreation(serviceId !== null, { ...facts, queue, dailyTokenLimit });
  if (refusal || !queue || !business) {
    // Another instance may have created the last token of the day, for this key, since the key was looked up.
    const replay = keyed && (await replayOf(tx, businessId, keyed));
    return replay ?? { outcome: refusal ?? "queue_not_found" };
  }
  noteUseFirst(tx, business, [queueId, serviceId]);

  const entry = newEntry(request, queue, facts);
  // After the last number: an entry that gets the next one in between is not ahead, but makes this write a conflict.
  const groups = await tx.count(day);
  const line = { ahead: aheadIn(groups, entry.priority), pace: paceIn(groups) };
  const receipt = { location, entry, line };
  const key = keyed && entryKey(keyed, receipt, tx.now);
  tx.insert("entries", entryRecord(entry, key, Math.max(tx.now, last.changedAt + 1)));
  return { outcome: "created", receipt };
}

/** What `decideKeyed` decides for a request whose key an entry holds; null if the key is free or has expired. */
export async function replayOf(
  tx: ViewTx,
  businessId: string,
  keyed: KeyedRequest,
): Promise<KeyedOutcome | null> {
  const holder = await holderOf(tx, businessId, keyed.key);
  return holder && decideKeyed(keyed, holder.keyed, tx.expiry);
}

/** The entry that holds a key; null if the key is free. */
function holderOf(tx: ViewTx, businessId: string, key: string): Promise<Stored<"entries"> | null> {
  return tx.find("entries", { businessId, "keyed.key": key });
}
