import { aheadIn, paceIn } from "../rules/day-counts.js";
import {
  decideKeyed,
  entryKey,
  type KeyedOutcome,
  type KeyedRequest,
} from "../rules/idempotency.js";
import { type IssueRefusal, newEntry, refuseIssue, type TokenRequest } from "../rules/issue.js";
import type { Receipt } from "../rules/records.js";
import type { PendingAudit, Port, Tx, ViewTx } from "../store/port.js";
import { entryRecord } from "./entry-record.js";
import { type NotNoted, noteUse, withoutNote } from "./uses.js";

/** A request to issue a token. */
export interface IssueRequest extends TokenRequest {
  /** Null if the creation has no idempotency key. */
  readonly keyed: KeyedRequest | null;
  /** The URL of the entry, for the receipt. Default: null, none. */
  readonly location?: string | null;
}

export type IssueOutcome =
  | { readonly outcome: "issued"; readonly receipt: Receipt }
  | KeyedOutcome
  | { readonly outcome: IssueRefusal };

/**
 * Issues a token. A key is looked up before anything is written: a replay writes nothing, and wins over a refusal.
 * What is written is one record: the entry with the next number of its queue and the next place of the day, its key and
 * its receipt. Unique indexes decide if two creations take the same number, place or key.
 */
export function issue(port: Port, audit: PendingAudit | null) {
  return (businessId: string, request: IssueRequest): Promise<IssueOutcome> =>
    untilIssued(port, audit, businessId, request.date, (tx) => issueToken(tx, businessId, request));
}

/** What must be written before a token can be issued. Each is an operation of its own. */
export type NotYet = KeyExpired | NotNoted;

interface KeyExpired {
  readonly outcome: "key_expired";
  readonly key: string;
}

/** Runs an operation that issues a token, in turn with the others of the business and day. */
export async function untilIssued<Outcome extends { readonly outcome: string }>(
  port: Port,
  audit: PendingAudit | null,
  businessId: string,
  date: string,
  decide: (tx: Tx) => Promise<Outcome | NotYet>,
): Promise<Outcome> {
  for (;;) {
    const decided = await port.run(decide, { turn: `${businessId} ${date}`, audit });
    if (!isNotYet(decided)) return decided;
    if (decided.outcome === "use_not_noted") await noteUse(port, businessId, decided.ids);
    else await port.run((tx) => freeKey(tx, businessId, decided.key));
  }
}

function isNotYet(decided: { readonly outcome: string }): decided is NotYet {
  return decided.outcome === "key_expired" || decided.outcome === "use_not_noted";
}

/** Decides a creation, and writes its entry. */
export async function issueToken(
  tx: Tx,
  businessId: string,
  request: IssueRequest,
): Promise<IssueOutcome | NotYet> {
  const { queueId, serviceId, date, keyed, location = null } = request;
  const day = { businessId, date, queueId };
  const [held, business, last] = await Promise.all([
    answerHeld(tx, businessId, keyed),
    tx.find("businesses", { id: businessId }),
    tx.last(day),
  ]);
  if (held) return held;

  const queue = business?.queues.find(({ id }) => id === queueId) ?? null;
  const service = business?.services.find(({ id }) => id === serviceId) ?? null;
  const dailyTokenLimit = business?.dailyTokenLimit ?? null;
  const facts = { service, lastNumber: last.number, lastPlaceInDay: last.place };
  const refusal = refuseIssue(serviceId !== null, { ...facts, queue, dailyTokenLimit });
  if (refusal || !queue || !business) {
    // Another instance may have issued the last token of the day, for this key, since the key was looked up.
    return (await answerHeld(tx, businessId, keyed)) ?? { outcome: refusal ?? "queue_not_found" };
  }
  const ids = withoutNote(business, [queueId, serviceId], tx.now);
  if (ids.length > 0) return { outcome: "use_not_noted", ids };

  const entry = newEntry(request, queue, facts);
  // After the last number: an entry that gets the next one in between is not ahead, but makes this write lose.
  const groups = await tx.count(day);
  const line = { ahead: aheadIn(groups, entry.priority), pace: paceIn(groups) };
  const receipt = { location, entry, line };
  const key = keyed && entryKey(keyed, receipt, tx.now);
  tx.insert("entries", entryRecord(entry, key, Math.max(tx.now, last.changedAt + 1)));
  return { outcome: "issued", receipt };
}

/** What `decideKeyed` answers to a request whose key an entry holds; null if the key is free or has expired. */
export async function replayOf(
  tx: ViewTx,
  businessId: string,
  keyed: KeyedRequest,
): Promise<KeyedOutcome | null> {
  const held = await answerHeld(tx, businessId, keyed);
  return held?.outcome === "key_expired" ? null : held;
}

/** What a request with a key gets if an entry holds the key; null if none does. */
async function answerHeld(
  tx: ViewTx,
  businessId: string,
  keyed: KeyedRequest | null,
): Promise<KeyedOutcome | KeyExpired | null> {
  if (!keyed) return null;
  const holder = await tx.find("entries", { businessId, "keyed.key": keyed.key });
  if (!holder) return null;
  return decideKeyed(keyed, holder.keyed, tx.expiry) ?? { outcome: "key_expired", key: keyed.key };
}

/** Frees a key that has expired. The entry that held it stays. */
async function freeKey(tx: Tx, businessId: string, key: string): Promise<void> {
  const holder = await tx.find("entries", { businessId, "keyed.key": key });
  const hasExpired = holder?.keyed && tx.expiry >= holder.keyed.keptUntil;
  if (hasExpired) tx.update("entries", holder, { keyed: null });
}
