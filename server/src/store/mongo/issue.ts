import {
  decideKeyed,
  entryKey,
  type KeyedOutcome,
  type KeyedRequest,
} from "../../rules/idempotency.js";
import { type IssueRefusal, newEntry, refuseIssue } from "../../rules/issue.js";
import type { Entry } from "../../rules/records.js";
import { receiptOf } from "../../rules/resources.js";
import type { IssueOutcome, IssueRequest } from "../port/entries.js";
import { Batches } from "./batches.js";
import { noteUsed } from "./businesses.js";
import { confirmed, type Database, raw, readAll, readOne } from "./connection.js";
import {
  type BusinessDoc,
  type EntryDoc,
  newChangeId,
  numberOfToken,
  tokensFrom,
  withoutKeys,
  writeAuditRow,
  writeEntry,
} from "./documents.js";
import { duplicateOf, repeatable, storedBefore, unknownResult, untilDone } from "./guard.js";
import { countDay, type DayCounts } from "./line.js";
import type { StoreTime } from "./time.js";

interface Asked {
  readonly businessId: string;
  readonly request: IssueRequest;
}

/** A creation in a batch. */
interface Creation {
  readonly request: IssueRequest;
  /** The receipts of the writes of its entry that were tried, by change id. */
  readonly tried: Map<string, string>;
  /** Null while it is open. An error ends only this creation. */
  outcome: IssueOutcome | Error | null;
}

/** Finds the entry with the last place in the day. */
const byPlace = { fields: { placeInDay: 1, _id: 0 }, sort: { placeInDay: -1 } } as const;

/** What is read before creations are decided. */
interface Facts {
  readonly business: BusinessDoc | null;
  readonly counts: DayCounts;
  readonly lastPlaceInDay: number;
}

/**
 * Issues tokens. The creations of a business and day that wait in this process are decided on one read and
 * written by one ordered insert. The unique indexes decide races: the loser reads and decides again. An
 * idempotency key is looked up once before anything is written, and again when its index reports it and before a
 * refusal.
 */
export function tokenIssuer(db: Database, time: StoreTime) {
  /** Reads businesses whose creations begin at the same time in one command. */
  const businesses = new Batches<string, BusinessDoc | null>(async (ids) => {
    const found = await readAll(db.businesses, { id: { $in: ids } }, { fields: withoutKeys });
    return ids.map((wanted) => found.find(({ id }) => id === wanted) ?? null);
  });
  const batches = new Batches<Asked, IssueOutcome>(async (asked) => {
    const creations = asked.map(
      ({ request }): Creation => ({ request, tried: new Map(), outcome: null }),
    );
    const issuing = issueAll(db, time, asked[0]?.businessId ?? "", creations, businesses);
    const failed = await issuing.catch((error: Error) => error);
    return creations.map(({ outcome }) => (outcome ?? failed) as IssueOutcome | Error);
  });
  return (businessId: string, request: IssueRequest): Promise<IssueOutcome> =>
    batches.run(`${businessId} ${request.date}`, { businessId, request });
}

async function issueAll(
  db: Database,
  time: StoreTime,
  businessId: string,
  creations: readonly Creation[],
  businesses: Batches<string, BusinessDoc | null>,
): Promise<void> {
  const date = creations[0]?.request.date ?? "";
  /** Numbers of queues that a person had who was moved away. */
  const taken = new Map<string, number>();
  const answer = (creation: Creation) => answerKeyed(db, time, businessId, creation);
  let isLookedUp = false;

  await untilDone<void>(async (isRepeated) => {
    if (isRepeated) await recognize(db, businessId, creations.filter(isOpen));
    if (!isLookedUp) await Promise.all(creations.map(answer));
    isLookedUp = true;
    const open = creations.filter(isOpen);
    if (open.length === 0) return { done: undefined };
    const asked = new Set(open.map(({ request }) => request.queueId));
    const [business, counts] = await Promise.all([
      businesses.run("", businessId),
      countDay(db, businessId, date, { queueId: { $in: [...asked] } }),
    ]);
    const hasOthers = business?.queues.some(({ id }) => !asked.has(id));
    const later = { businessId, date, placeInDay: { $gt: counts.lastPlace } };
    const last = hasOthers ? await readOne(db.entries, later, byPlace) : null;
    let lastPlaceInDay = last?.placeInDay ?? counts.lastPlace;
    const decided = open.flatMap((creation): Decided | [] => {
      try {
        const facts = { business, counts, lastPlaceInDay };
        const one = decide(creation, facts, taken, time.now());
        if ("doc" in one) lastPlaceInDay = one.doc.placeInDay;
        return one;
      } catch (error) {
        creation.outcome = error as Error; // of a request that cannot be answered
        return [];
      }
    });
    const refusals = decided.flatMap((one) => ("refusal" in one ? one : []));
    // Another instance may have issued the token meanwhile, and for that very reason this one is refused.
    await Promise.all(refusals.map(({ creation }) => answer(creation)));
    const written = decided.flatMap((one) => ("doc" in one ? one : []));
    const docs = written.map(({ doc }) => doc);
    try {
      if (business && !(await noteUsed(db, business, docs))) return "lost";
      if (docs.length > 0) await raw(db.entries).insertMany(docs, { ordered: true });
    } catch (error) {
      const index = duplicateOf(error);
      const stored = storedBefore(error);
      const loser = written[stored ?? 0];
      if (index === null || !loser) throw error;
      if (stored === null) throw unknownResult();
      written.slice(0, stored).forEach(issued);
      if (index === "key") await answer(loser.creation);
      else if (index === "number") await findTaken(db, loser.doc, taken);
      else if (index !== "place") await recognize(db, businessId, [loser.creation], error);
      return "lost";
    }
    written.forEach(issued);
    // Only now, because a refusal counts the entries before it.
    for (const { creation, refusal } of refusals) {
      // An entry of an earlier try may still arrive.
      const isUnknown = isRepeated && creation.tried.size > 0;
      creation.outcome ??= isUnknown ? unknownResult() : { outcome: refusal };
    }
    return { done: undefined };
  });
}

type Decided =
  | { readonly creation: Creation; readonly doc: EntryDoc; readonly receipt: string }
  | { readonly creation: Creation; readonly refusal: IssueRefusal };

function issued({ creation, receipt }: Extract<Decided, { doc: EntryDoc }>): void {
  creation.outcome = { outcome: "issued", receipt };
}

function isOpen({ outcome }: Creation): boolean {
  return outcome === null;
}

/** The document of the entry that a request gets, which is counted from now on, or why it gets none. */
function decide(
  creation: Creation,
  { business, counts, lastPlaceInDay }: Facts,
  taken: ReadonlyMap<string, number>,
  now: number,
): Decided {
  const { request } = creation;
  const { queueId, serviceId, keyed, audit, location } = request;
  const queue = business?.queues.find(({ id }) => id === queueId) ?? null;
  const facts = {
    queue,
    service: business?.services.find(({ id }) => id === serviceId) ?? null,
    dailyTokenLimit: business?.dailyTokenLimit ?? null,
    lastPlaceInDay,
    lastNumber: Math.max(counts.lastNumber(queueId), taken.get(queueId) ?? 0),
  };
  const refusal = refuseIssue(serviceId !== null, facts);
  if (refusal || !queue) return { creation, refusal: refusal ?? "queue_not_found" };
  const entry = newEntry(request, queue, facts);
  const line = { ahead: counts.ahead(queueId, entry.priority), pace: counts.pace(queueId) };
  const receipt = receiptOf({ entry, line }, location);
  counts.add(entry);
  const changeId = newChangeId();
  creation.tried.set(changeId, receipt);
  const key = keyed && entryKey(keyed, receipt, now);
  const doc = writeEntry(entry, changeId, key, audit ? [writeAuditRow(audit)] : []);
  return { creation, doc, receipt };
}

/**
 * Finds the entry that holds a key, and the answer to a request with it; null if the key is free. Frees the key if it
 * has expired.
 */
export async function findHeld(
  { entries }: Database,
  { expiry }: StoreTime,
  businessId: string,
  keyed: KeyedRequest,
): Promise<{ readonly holder: EntryDoc; readonly decided: KeyedOutcome } | null> {
  const holds = { businessId, "keyed.key": keyed.key };
  const holder = await readOne(entries, holds);
  if (!holder?.keyed) return null;
  const decided = decideKeyed(keyed, holder.keyed, expiry());
  if (!decided) {
    const expired = { ...holds, "keyed.keptUntil": holder.keyed.keptUntil };
    await repeatable(() => entries.updateOne(expired, { $unset: { keyed: 1 } }));
    return null;
  }
  return (await confirmed(entries, { ...holds, _id: holder._id })) ? { holder, decided } : null;
}

/** Answers a creation whose key an entry holds, which wins over a refusal. */
async function answerKeyed(
  db: Database,
  time: StoreTime,
  businessId: string,
  creation: Creation,
): Promise<void> {
  const { keyed } = creation.request;
  const held = keyed && (await findHeld(db, time, businessId, keyed));
  if (!held?.holder.keyed) return;
  const { changes, keyed: kept } = held.holder;
  const isOwn = changes.some((changeId) => creation.tried.has(changeId));
  creation.outcome = isOwn ? { outcome: "issued", receipt: kept.receipt } : held.decided;
}

/** Finds the last number of a queue if a person had it who was moved to another queue. */
export async function findTaken(
  { entries }: Database,
  { businessId, date, queueId, tokenNumber }: Omit<Entry, "id">,
  taken: Map<string, number>,
): Promise<void> {
  const tokens = tokensFrom(queueId, tokenNumber);
  const found = await readAll(entries, { businessId, date, tokens }, { fields: { tokens: 1 } });
  const numbers = found
    .flatMap((doc) => doc.tokens)
    .filter((token) => token >= tokens.$gte && token < tokens.$lt)
    .map(numberOfToken);
  taken.set(queueId, Math.max(taken.get(queueId) ?? 0, ...numbers));
}

/** Answers the creations whose entries were written by an earlier try. Throws the error if there is none. */
async function recognize(
  { entries }: Database,
  businessId: string,
  creations: readonly Creation[],
  error: unknown = null,
): Promise<void> {
  for (const creation of creations) {
    for (const [changes, receipt] of creation.tried) {
      const isWritten = await confirmed(entries, { _id: creation.request.id, businessId, changes });
      if (isWritten) creation.outcome = { outcome: "issued", receipt };
    }
  }
  if (error && creations.every(isOpen)) throw error;
}
