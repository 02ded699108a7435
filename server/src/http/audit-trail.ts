import type { Logger } from "pino";
import type { Store } from "../operations/store.js";
import { asSum, RefusedRequests, sumName, withSum } from "../rules/audit.js";
import type { AuditRow } from "../rules/records.js";

const batchSize = 1_000;
const maxPending = 20_000;

/** Stores the audit rows of requests that changed nothing, in batches, on a short timer and at the end. */
export class AuditTrail {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #flushEveryMs: number;
  readonly #refused = new RefusedRequests();
  #pending: AuditRow[] = [];
  /** The first of the pending rows, with their ids, from the first attempt to store them on. */
  #batch: readonly AuditRow[] = [];
  /** Sums that still grow, by name. */
  readonly #sums = new Map<string, AuditRow>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #closed = false;

  /** `flushEveryMs`: how long a row may wait for others. With 0 each row is stored at once, without a timer. */
  constructor(store: Store, logger: Logger, flushEveryMs = 250) {
    this.#store = store;
    this.#logger = logger;
    this.#flushEveryMs = flushEveryMs;
  }

  /** Whether the number of pending rows has reached the limit, so that no further request may be admitted. */
  get isFull(): boolean {
    return this.pending >= maxPending;
  }

  /** The number of rows that are not stored yet. */
  get pending(): number {
    return this.#pending.length + this.#sums.size;
  }

  /** Records a request. */
  record(row: AuditRow): void {
    if (this.#closed) {
      this.#lost(1);
      return;
    }
    this.#pending.push(row);
    this.#flushSoon();
  }

  /** Records a request that admission refused. Beyond a limit for each key, such requests are added up in one row. */
  recordRefused(row: AuditRow, requestsPerMinute: number): void {
    if (this.#closed || this.#refused.isRecordedAlone(row, requestsPerMinute)) {
      this.record(row);
      return;
    }
    const name = sumName(row);
    const known = this.#sums.get(name);
    this.#sums.set(name, known ? withSum(known, asSum(row)) : asSum(row));
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#flushing) return; // it stores what comes meanwhile, or calls this at its end
    const hasFailed = this.#batch.length > 0; // the next attempt waits, however many rows are pending
    const isDue = this.#pending.length >= batchSize || this.#flushEveryMs === 0;
    if (isDue && !hasFailed) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), this.#flushEveryMs);
  }

  /** Stores the pending rows. Rows that cannot be stored stay pending for the next attempt. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.pending > 0) this.#flushing ??= this.#drain();
    await this.#flushing;
  }

  async #drain(): Promise<void> {
    try {
      await this.#storePending();
      this.#endSums();
      await this.#storePending();
    } catch (error) {
      this.#logger.error(
        { err: error, pending: this.pending },
        "audit rows could not be stored; trying again",
      );
    }
    this.#flushing = undefined;
    if (this.pending > 0) this.#flushSoon();
  }

  /** Stores rows until none is pending. */
  async #storePending(): Promise<void> {
    while (this.#pending.length > 0) {
      if (this.#batch.length === 0) this.#batch = await this.#store.audit.withIds(this.#next());
      await this.#store.audit.append(this.#batch);
      this.#pending.splice(0, this.#batch.length);
      this.#batch = [];
    }
  }

  /** The rows to store together. A sum is stored alone: it would be added again if another one failed after it. */
  #next(): readonly AuditRow[] {
    const sum = this.#pending.findIndex((row) => row.sum !== null);
    return this.#pending.slice(0, sum === -1 ? batchSize : Math.max(1, Math.min(sum, batchSize)));
  }

  /**
   * Moves the sums to the pending rows, once no other row waits and once in a flush. Later requests start a new
   * sum, which the store adds to the earlier one. So even with a slow or unavailable database there are no more
   * sums than keys, minutes and statuses.
   */
  #endSums(): void {
    this.#pending.push(...this.#sums.values());
    this.#sums.clear();
  }

  /** Stores the pending rows a last time, and logs how many could not be stored. */
  async close(): Promise<void> {
    await this.flush();
    if (this.pending > 0) await this.flush();
    clearTimeout(this.#timer);
    this.#closed = true;
    if (this.pending > 0) this.#lost(this.pending);
  }

  #lost(rows: number): void {
    this.#logger.error({ lost: rows }, "audit rows are lost");
  }
}
