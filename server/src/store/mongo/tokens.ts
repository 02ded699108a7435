import { receiptOf } from "../../rules/entry-answer.js";
import type { Claim } from "../../rules/idempotency.js";
import { newEntry, refuseIssue } from "../../rules/issue.js";
import type { AuditRow, Entry } from "../../rules/records.js";
import { type Move, moved, prioritized } from "../../rules/transitions.js";
import { ClaimLostError } from "../claim-lost-error.js";
import type { ChangeOptions, IssueOutcome, IssueRequest, MoveOutcome } from "../port/entries.js";
import type { Catalogue } from "./catalogue.js";
import { Coalescer, lanes } from "./coalescer.js";
import type { AuditOrder } from "./collections/audit.js";
import { type EntryDoc, readEntry, stateOf, unchanged, writeEntry } from "./collections/entries.js";
import type { Database } from "./connection.js";
import type { Entries } from "./entries.js";
import type { Idempotency } from "./idempotency.js";
import { contributionOf } from "./line.js";
import type { Newcomer } from "./line-numbers.js";
import type { BegunChange, Lines } from "./lines.js";
import type { Numbered, Numbers } from "./numbers.js";
import { insertEach } from "./unavailable.js";

interface Parts {
  readonly catalogue: Catalogue;
  readonly entries: Entries;
  readonly lines: Lines;
  readonly numbers: Numbers;
  readonly idempotency: Idempotency;
  readonly auditOrder: AuditOrder;
}

/** How often a creation starts over after a number that was already taken, or a lost race. */
const mostTries = 5;

/** Issues tokens and changes their entries. The entry is the commit point of each step. */
export class Tokens {
  readonly #db: Database;
  readonly #parts: Parts;
  /**
   * The unique index that each entry conflicted with, or null. Entries of all businesses are sent together.
   */
  readonly #inserts = new Coalescer<EntryDoc, string | null>(
    (_, docs) => insertEach(this.#db.entries.raw, docs),
    { lanes },
  );

  constructor(db: Database, parts: Parts) {
    this.#db = db;
    this.#parts = parts;
  }

  /** Two commands: one for the number, one for the entry. */
  async issue(businessId: string, request: IssueRequest): Promise<IssueOutcome> {
    const { claim, serviceId, queueId, date, dailyTokenLimit, priority } = request;
    const { catalogue, numbers } = this.#parts;
    for (let tries = 0; tries < mostTries; tries++) {
      const earlier = await this.#overtaken(businessId, claim);
      if (earlier !== null) return { outcome: "replay", receipt: earlier };
      const offer = await catalogue.offer(businessId);
      const queue = offer.queues.get(queueId) ?? null;
      const service = offer.services.get(serviceId ?? "") ?? null;
      const serviceAsked = serviceId !== null;
      const facts = { queue, service, createdToday: 0, dailyTokenLimit: null };
      const refusal = refuseIssue(serviceAsked, facts);
      if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };

      const workMinutes = service?.baseTimeMinutes ?? null;
      const newcomer = {
        ...{ businessId, queue, service, serviceAsked, date },
        ...{ priority, workMinutes, dailyTokenLimit },
      };
      const numbered = await numbers.give(newcomer);
      if (numbered === "plan_limit_reached") return { outcome: numbered };
      const issued = await this.#commit(request, newcomer, numbered);
      if (issued) return issued;
    }
    throw new Error("no number could be given: another token had it each time");
  }

  /**
   * The receipt of the entry that another request with the key created in the meantime; null if there is
   * none.
   */
  async #overtaken(businessId: string, claim: Claim | null): Promise<string | null> {
    if (!claim || this.#parts.idempotency.isUndisturbed(businessId, claim)) return null;
    return this.#receiptOfClaim(businessId, claim);
  }

  /** The receipt of a claim whose token is already issued. */
  async #receiptOfClaim(businessId: string, claim: Claim): Promise<string | null> {
    const { idempotency } = this.#parts;
    const record = await idempotency.find(businessId, claim.key);
    if (record?.claimId !== claim.claimId) throw new ClaimLostError();
    return record.receipt ?? idempotency.receiptOf(businessId, claim.claimId);
  }

  /** Writes the entry. Returns null if its number is already taken, or was given too long ago. */
  async #commit(
    request: IssueRequest,
    { businessId, queue, service }: Newcomer,
    { tokenNumber, ahead, pace, epoch, since }: Numbered,
  ): Promise<IssueOutcome | null> {
    const { lines, idempotency, auditOrder } = this.#parts;
    const { claim, audit, date } = request;
    const entry = newEntry(request, { queue, service, tokenNumber });
    const change = { leaves: null, joins: contributionOf(entry) };
    const place = { businessId, date, queueId: queue.id };
    const begun = lines.begun(place, epoch, change, since);
    let receipt: string;
    try {
      const earlier = await this.#overtaken(businessId, claim);
      if (earlier !== null) {
        await begun.undo();
        return { outcome: "replay", receipt: earlier };
      }
      receipt = receiptOf({ entry, line: { ahead, pace } });
    } catch (error) {
      await begun.undo();
      throw error;
    }
    if (begun.isLongAgo()) {
      await begun.undo();
      return null;
    }
    const doc: EntryDoc = {
      ...writeEntry(entry),
      ...(claim && { claimId: claim.claimId, receipt }),
      ...(audit && { audits: [auditOrder.placed(audit)] }),
    };
    const met = await ended(begun, this.#inserts.run("", doc));
    if (met === null) {
      await begun.done();
      if (claim) idempotency.finish(businessId, claim);
      return { outcome: "issued", receipt };
    }
    await begun.undo();
    if (met !== "claim" || !claim) return null;
    const earlier = await this.#receiptOfClaim(businessId, claim);
    return earlier === null ? null : { outcome: "replay", receipt: earlier };
  }

  async move(
    businessId: string,
    entryId: string,
    move: Move,
    now: number,
    { audit, ...how }: ChangeOptions = {},
  ): Promise<MoveOutcome> {
    return this.#change(businessId, entryId, (entry) => moved(entry, move, { now, ...how }), audit);
  }

  setPriority(
    businessId: string,
    entryId: string,
    priority: boolean,
    { audit, ...how }: ChangeOptions = {},
  ): Promise<MoveOutcome> {
    return this.#change(businessId, entryId, (entry) => prioritized(entry, priority, how), audit);
  }

  async callIfNext(
    businessId: string,
    entryId: string,
    now: number,
    options: ChangeOptions = {},
  ): Promise<MoveOutcome | { readonly outcome: "not_next" }> {
    const { model } = this.#db.entries;
    const doc = await model.findOne({ _id: entryId, businessId }).lean();
    if (doc?.status === "WAITING") {
      const { queueId, date } = doc;
      const next = await this.#parts.entries.next({ businessId, queueId, date });
      if (next && next.id !== entryId) return { outcome: "not_next" };
    }
    return this.move(businessId, entryId, "call", now, options);
  }

  /** Stores the result of a decision on an entry, with the audit row if there is one. */
  async #change(
    businessId: string,
    entryId: string,
    decide: (entry: Entry) => Entry | null,
    audit: AuditRow | null = null,
  ): Promise<MoveOutcome> {
    const { model } = this.#db.entries;
    for (;;) {
      const doc = await model.findOne({ _id: entryId, businessId }).lean();
      if (!doc) return { outcome: "not_found" };
      const entry = readEntry(doc);
      const after = decide(entry);
      if (!after) return { outcome: "invalid_state", status: entry.status };
      if (await this.replace(entry, after, audit)) return { outcome: "moved", entry: after };
    }
  }

  /**
   * Replaces an entry's state; false if the caller must decide again, usually because another request changed it
   * first. `second` is an entry that changes with it: this step puts it in the outbox.
   */
  async replace(
    entry: Entry,
    after: Entry,
    audit: AuditRow | null,
    second: Entry | null = null,
  ): Promise<boolean> {
    const { lines, auditOrder } = this.#parts;
    const { businessId, date, queueId } = entry;
    const begun = await lines.begin(
      { businessId, date, queueId },
      { leaves: contributionOf(entry), joins: contributionOf(after) },
    );
    if (begun.isLongAgo()) {
      await begun.undo();
      return false;
    }
    const written = await ended(
      begun,
      this.#db.entries.raw.updateOne(unchanged(entry), {
        $set: { ...stateOf(after), ...(second && { outbox: writeEntry(second) }) },
        ...(audit && { $push: { audits: auditOrder.placed(audit) } }),
      }),
    );
    if (written.matchedCount === 0) {
      await begun.undo();
      return false;
    }
    await begun.done();
    return true;
  }

  async callNext(
    businessId: string,
    queueId: string,
    date: string,
    now: number,
  ): Promise<Entry | null> {
    for (;;) {
      const entry = await this.#parts.entries.next({ businessId, queueId, date });
      if (!entry) return null;
      const called = moved(entry, "call", { now });
      if (called && (await this.replace(entry, called, null))) return called;
    }
  }
}

/** Waits for a step. If it fails, the result of the change is unknown. */
export async function ended<Result>(begun: BegunChange, step: Promise<Result>): Promise<Result> {
  try {
    return await step;
  } catch (error) {
    begun.unknown();
    throw error;
  }
}
