import { Types } from "mongoose";
import { clockSlackMs } from "../../rules/clock-slack.js";
import {
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  decideClaim,
  keptUntil,
  leaseSeconds,
} from "../../rules/idempotency.js";
import type { IdempotencyRecord } from "../../rules/records.js";
import { Coalescer, lanes } from "./coalescer.js";
import { type IdempotencyDoc, idempotencyId, readIdempotency } from "./collections/idempotency.js";
import { readReceiptOf } from "./collections/receipts.js";
import type { Database } from "./connection.js";
import type { Expression, StoreTime } from "./time.js";
import { insertEach, isUnavailable } from "./unavailable.js";
import type { RecordWrite, Writer } from "./writer.js";

type WithServerTime = IdempotencyDoc & { readonly now: number };
type Read = WithServerTime | null;

/** The maximum number of its own claims that a process caches. */
const mostHeld = 100_000;

const leaseMs = leaseSeconds * 1000;

/** A creation that takes less time than this does not write its record again. */
const quickMs = 1_000;

/**
 * The claims of Idempotency-Keys. The entry that a claim creates contains the claim id and the receipt, so a
 * retry finds the receipt there, and a creation does not write its record again if it is quick. Only records
 * of earlier versions, and those copied from another store, contain a receipt.
 */
export class Idempotency {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #writer: Writer;
  /**
   * The unique index that each claim conflicted with, or null for a free key. Claims of all businesses are
   * sent together.
   */
  readonly #claims = new Coalescer<IdempotencyDoc, string | null>(
    (_, docs) => insertEach(this.#db.idempotency.raw, docs),
    { lanes },
  );
  /** The claims made by this process, by business and key, with their time. */
  readonly #held = new Map<string, { readonly owner: string; readonly at: number }>();

  constructor(db: Database, time: StoreTime, writer: Writer) {
    this.#db = db;
    this.#time = time;
    this.#writer = writer;
  }

  /** One command for a free key: the insert fails if the key is taken. */
  async claim(businessId: string, request: ClaimRequest): Promise<ClaimOutcome> {
    await this.#writer.written(idempotencyId(businessId, request.key));
    try {
      return await this.#claim(businessId, request);
    } catch (error) {
      if (isUnavailable(error)) {
        // The claim may have been stored anyway.
        const { id, write } = leaseEnd(businessId, request);
        this.#writer.record(id, write);
      }
      throw error;
    }
  }

  async #claim(businessId: string, request: ClaimRequest): Promise<ClaimOutcome> {
    const id = idempotencyId(businessId, request.key);
    const attempt = new Types.ObjectId().toHexString();
    for (let isRetry = false; ; isRetry = true) {
      let lost: unknown = null;
      const now = this.#time.estimate() ?? (await this.#askTime());
      const { outcome: claimed, record } = decideClaim(request, null, now);
      if (!record) throw new Error("a free key was not given");
      try {
        const claim = { _id: id, businessId, attempt, ...record };
        if ((await this.#claims.run("", claim)) === null) {
          this.#hold(id, request.owner, now);
          return claimed;
        }
      } catch (error) {
        // After a lost response, the attempt in the record shows whether this request made the claim.
        if (!isUnavailable(error)) throw error;
        lost = error;
      }
      const outcome = await this.#decideTaken(id, businessId, attempt, request);
      if (outcome) return outcome;
      if (lost !== null && isRetry) throw lost; // the database reads, but does not write
    }
  }

  /** Decides on a key that has a record. Null if the record has changed or has been removed in the meantime. */
  async #decideTaken(
    id: string,
    businessId: string,
    attempt: string,
    request: ClaimRequest,
  ): Promise<ClaimOutcome | null> {
    const filter = { _id: id, businessId };
    const now = this.#time.expression();
    const projection = { ...recordFields, now };
    const found = (await this.#db.idempotency.raw.findOne(filter, { projection })) as Read;
    if (!found) return null;
    this.#time.observe(found.now); // a leap of the database's clock must not expire the record
    const replay = await this.#outcomeOf(found, request);
    if (replay.outcome === "replay") return replay;

    // An election may roll back what was only read. A write waits for a majority, even if it changes nothing.
    const taken = (await this.#db.idempotency.raw.findOneAndUpdate(
      filter,
      takeOver(attempt, request, { now, expiry: this.#time.expiry() }),
      { returnDocument: "after", projection },
    )) as Read;
    if (taken?.attempt === attempt) {
      const { key, owner } = request;
      const { claimId } = taken;
      this.#hold(id, owner, taken.now);
      return { outcome: "claimed", claim: { key, claimId, owner }, takenOver: claimId !== owner };
    }
    const outcome = taken && (await this.#outcomeOf(taken, request));
    return outcome?.outcome === "claimed" ? null : outcome;
  }

  /** The outcome for a record of another attempt. "claimed" means that this attempt may take the record over. */
  async #outcomeOf(doc: WithServerTime, request: ClaimRequest): Promise<ClaimOutcome> {
    const { businessId, claimId, now } = doc;
    const record = readIdempotency(doc);
    const { outcome } = decideClaim(request, record, now, this.#time.settled(now));
    const isUnanswered =
      outcome.outcome === "in_progress" || (outcome.outcome === "claimed" && outcome.takenOver);
    const receipt = isUnanswered ? await this.receiptOf(businessId, claimId) : null;
    return receipt === null ? outcome : { outcome: "replay", receipt };
  }

  /**
   * The receipt of the entry that a claim has created; null if it has created none. Only an entry on a
   * majority of the replica set counts: an election may roll back any other, and its receipt would then be
   * wrong.
   */
  async receiptOf(businessId: string, claimId: string): Promise<string | null> {
    const doc = await this.#db.entries.model
      .findOne({ businessId, claimId }, { receipt: 1, answer: 1 })
      .readConcern("majority")
      .lean();
    return doc && readReceiptOf(doc);
  }

  /**
   * Whether no other request can have held the key since this claim: this process made it, it is not a
   * takeover, and its lease has not ended.
   */
  isUndisturbed(businessId: string, claim: Claim): boolean {
    const held = this.#held.get(idempotencyId(businessId, claim.key));
    if (!held || held.owner !== claim.owner || claim.claimId !== claim.owner) return false;
    const now = this.#time.estimate();
    return now !== null && held.at <= now + clockSlackMs && now < held.at + leaseMs;
  }

  async find(businessId: string, key: string): Promise<IdempotencyRecord | null> {
    const id = idempotencyId(businessId, key);
    await this.#writer.written(id);
    const doc = await this.#db.idempotency.raw.findOne({ _id: id, businessId });
    return doc && readIdempotency(doc);
  }

  async release(businessId: string, claim: Claim): Promise<void> {
    const filter = heldBy(businessId, claim);
    // The record does not show whether the claim has created its entry.
    if ((await this.receiptOf(businessId, claim.claimId)) !== null) return;
    await this.#letGo(filter._id, { deleteOne: { filter } });
  }

  endLease(businessId: string, claim: Claim): Promise<void> {
    const { id, write } = leaseEnd(businessId, claim);
    return this.#letGo(id, write);
  }

  /** If the database is unavailable, the key is released when the database is back. */
  async #letGo(id: string, write: RecordWrite): Promise<void> {
    this.#held.delete(id);
    try {
      await this.#writer.written(id);
      await this.#db.idempotency.raw.bulkWrite([write]);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#writer.record(id, write);
    }
  }

  /**
   * Ends a claim that has created its entry. If the creation took longer than a second, the record is written
   * again in the background, so that it is kept for 24 hours from the result and not from the claim.
   */
  finish(businessId: string, { key, claimId }: Claim): void {
    const _id = idempotencyId(businessId, key);
    const held = this.#held.get(_id);
    this.#held.delete(_id);
    const now = this.#time.estimate();
    if (now === null || (held && Math.abs(now - held.at) < quickMs)) return;
    const update = { $set: { keptUntil: keptUntil(now) } };
    this.#writer.record(_id, { updateOne: { filter: { _id, businessId, claimId }, update } });
  }

  /** Forgets the claims of this process, so that each one is looked up before it is used. */
  forget(): void {
    this.#held.clear();
  }

  #hold(id: string, owner: string, at: number): void {
    this.#held.delete(id);
    this.#held.set(id, { owner, at });
    const [oldest] = this.#held.keys();
    if (this.#held.size > mostHeld && oldest !== undefined) this.#held.delete(oldest);
  }

  async #askTime(): Promise<number> {
    const now = await this.#db.now(this.#time.expression());
    this.#time.observe(now);
    return now;
  }
}

/** A filter for the record of a claim without a receipt. */
function heldBy(businessId: string, { key, owner }: Pick<Claim, "key" | "owner">) {
  return { _id: idempotencyId(businessId, key), businessId, owner, receipt: null, answer: null };
}

function leaseEnd(businessId: string, claim: Pick<Claim, "key" | "owner">) {
  const filter = heldBy(businessId, claim);
  const write: RecordWrite = { updateOne: { filter, update: { $set: { leaseUntil: 0 } } } };
  return { id: filter._id, write };
}

const recordFields = {
  businessId: 1,
  key: 1,
  fingerprint: 1,
  claimId: 1,
  owner: 1,
  attempt: 1,
  leaseUntil: 1,
  receipt: 1,
  answer: 1,
  keptUntil: 1,
} as const;

/** `decideClaim` as an update pipeline: it stores a record in the same cases. */
function takeOver(
  attempt: string,
  { fingerprint, owner }: ClaimRequest,
  { now, expiry }: { readonly now: Expression; readonly expiry: Expression },
): Record<string, unknown>[] {
  const known = { $lt: [expiry, "$keptUntil"] };
  const leaseRuns = {
    $and: [
      { $lt: [now, "$leaseUntil"] },
      { $lte: ["$leaseUntil", { $add: [now, leaseMs + clockSlackMs] }] },
    ],
  };
  const free = {
    $or: [
      { $not: [known] },
      {
        $and: [
          { $eq: ["$fingerprint", { $literal: fingerprint }] },
          { $eq: [{ $ifNull: ["$receipt", { $ifNull: ["$answer", null] }] }, null] },
          { $not: [leaseRuns] },
        ],
      },
    ],
  };
  const day = keptUntil(0);
  const record = {
    fingerprint: { $literal: fingerprint },
    owner: { $literal: owner },
    attempt,
    claimId: { $cond: [known, "$claimId", { $literal: owner }] },
    leaseUntil: { $add: [now, leaseMs] },
    receipt: null,
    answer: null,
    keptUntil: { $add: [now, day] },
  };
  return [{ $replaceWith: { $cond: [free, { $mergeObjects: ["$$ROOT", record] }, "$$ROOT"] } }];
}
