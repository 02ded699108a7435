import type { AuditRow, Entry } from "../../rules/records.js";
import {
  refuseTransfer,
  type TransferRequest,
  transferred,
  transferUndone,
} from "../../rules/transfer.js";
import type { Move } from "../../rules/transitions.js";
import type { ChangeOptions, MoveOutcome, TransferOutcome } from "../port/entries.js";
import type { Catalogue } from "./catalogue.js";
import { readEntry } from "./collections/entries.js";
import type { Database } from "./connection.js";
import { contributionOf } from "./line.js";
import type { BegunChange, Lines } from "./lines.js";
import type { Numbers } from "./numbers.js";
import type { Outbox } from "./outbox.js";
import { ended, type Tokens } from "./tokens.js";

interface Parts {
  readonly catalogue: Catalogue;
  readonly lines: Lines;
  readonly numbers: Numbers;
  readonly tokens: Tokens;
  readonly outbox: Outbox;
}

/**
 * Moves people to other queues, which changes two entries. One of them is the commit point: its update stores
 * the other entry in its outbox (see `Outbox`). It is the old entry for a transfer, and the new entry for its
 * undo, because that must not race with a call of the new token.
 */
export class Transfers {
  readonly #db: Database;
  readonly #parts: Parts;

  constructor(db: Database, parts: Parts) {
    this.#db = db;
    this.#parts = parts;
  }

  async transfer(
    businessId: string,
    entryId: string,
    { id, queueId, dailyTokenLimit }: TransferRequest,
    now: number,
    { audit = null, seen = null }: Omit<ChangeOptions, "counter"> = {},
  ): Promise<TransferOutcome> {
    const { catalogue, lines, numbers } = this.#parts;
    for (;;) {
      const entry = await this.#find(businessId, entryId);
      if (!entry) return { outcome: "not_found" };
      const queue = (await catalogue.offer(businessId)).queues.get(queueId) ?? null;
      const facts = { queue, createdToday: 0, dailyTokenLimit: null };
      const refusal = refuseTransfer(entry, facts, { seen });
      if (refusal === "invalid_state") return { outcome: refusal, status: entry.status };
      if (refusal || !queue) return { outcome: refusal ?? "queue_not_found" };

      const { date, priority, workMinutes } = entry;
      const numbered = await numbers.give({
        ...{ businessId, queue, service: null, serviceAsked: false, date },
        ...{ priority, workMinutes, dailyTokenLimit },
      });
      if (numbered === "plan_limit_reached") return { outcome: numbered };
      const { tokenNumber, epoch, since } = numbered;
      const { left, joined } = transferred(entry, { id, queue, tokenNumber }, now);
      const change = { leaves: null, joins: contributionOf(joined) };
      const begun = lines.begun({ businessId, date, queueId }, epoch, change, since);
      const stored = await this.#changeBoth(entry, left, joined, begun, audit);
      if (stored) return { outcome: "transferred", entry: left, joined: stored };
    }
  }

  /** Makes a move. An undo of a transfer changes both entries. */
  async move(
    businessId: string,
    entryId: string,
    by: Move,
    now: number,
    options: ChangeOptions = {},
  ): Promise<MoveOutcome> {
    const undone = by === "undo" && (await this.#undo(businessId, entryId, now, options));
    return undone || this.#parts.tokens.move(businessId, entryId, by, now, options);
  }

  /** Null if the entry was not moved to another queue. */
  async #undo(
    businessId: string,
    entryId: string,
    now: number,
    { audit = null, seen = null }: ChangeOptions,
  ): Promise<MoveOutcome | null> {
    for (;;) {
      const left = await this.#find(businessId, entryId);
      if (!left || left.transferredTo === null) return null;
      const joined = await this.#find(businessId, left.transferredTo);
      const undone = joined && transferUndone({ left, joined }, { now, seen });
      if (!joined || !undone) return { outcome: "invalid_state", status: left.status };
      const { queueId, date } = left;
      const change = { leaves: contributionOf(left), joins: contributionOf(undone.left) };
      const begun = await this.#parts.lines.begin({ businessId, queueId, date }, change);
      if (await this.#changeBoth(joined, undone.joined, undone.left, begun, audit)) {
        return { outcome: "moved", entry: undone.left };
      }
    }
  }

  /**
   * Changes a first entry, and a second one with it. `begun` is the change of the second entry's line.
   * Returns the second entry as it is stored, or null if the caller must decide again, usually because another
   * request changed the first entry before.
   */
  async #changeBoth(
    before: Entry,
    first: Entry,
    second: Entry,
    begun: BegunChange,
    audit: AuditRow | null,
  ): Promise<Entry | null> {
    const { tokens, outbox } = this.#parts;
    if (begun.isLongAgo() || !(await ended(begun, tokens.replace(before, first, audit, second)))) {
      await begun.undo();
      return null;
    }
    const stored = await ended(begun, outbox.deliver(first.id, second));
    if (stored.tokenNumber === second.tokenNumber) await begun.done();
    else begun.unknown(); // it was counted in the block of another number
    return stored;
  }

  async #find(businessId: string, entryId: string): Promise<Entry | null> {
    const doc = await this.#db.entries.raw.findOne({ _id: entryId, businessId });
    return doc && readEntry(doc);
  }
}
