import type { Logger } from "pino";
import type { AuditRow } from "../rules/records.js";
import type { Store } from "../store/store.js";

const batchSize = 1_000;
const mostPending = 20_000;

/** Audit rows of requests that changed nothing: kept in batches, on a short timer and at the end. */
export class AuditTrail {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #flushEveryMs: number;
  #pending: AuditRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #closed = false;

  /** `flushEveryMs`: how long a row may wait for others. With 0 each row is kept at once, without a timer. */
  constructor(store: Store, logger: Logger, flushEveryMs = 250) {
    this.#store = store;
    this.#logger = logger;
    this.#flushEveryMs = flushEveryMs;
  }

  /** Whether so much is waiting to be kept that no further request may be let in. */
  get isFull(): boolean {
    return this.pending >= mostPending;
  }

  /** How many rows are not kept yet. */
  get pending(): number {
    return this.#pending.length;
  }

  record(row: AuditRow): void {
    if (this.#closed) {
      this.#lost(1);
      return;
    }
    this.#pending.push(row);
    if (this.#pending.length >= batchSize || this.#flushEveryMs === 0) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), this.#flushEveryMs);
  }

  /** Keeps what is pending. Rows that could not be kept stay pending and are tried again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length > 0) this.#flushing ??= this.#drain();
    await this.#flushing;
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      const rows = this.#pending.slice(0, batchSize);
      try {
        await this.#store.audit.append(rows);
      } catch (error) {
        this.#logger.error(
          { err: error, pending: this.#pending.length },
          "audit rows not kept yet",
        );
        this.#timer ??= setTimeout(() => void this.flush(), this.#flushEveryMs);
        break;
      }
      this.#pending.splice(0, rows.length);
    }
    this.#flushing = undefined; // in the same step as the last look, so that no row falls in between
  }

  /** Keeps what is pending and stops trying; says in the log how many rows could not be kept. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#pending.length > 0) await this.flush();
    clearTimeout(this.#timer);
    this.#closed = true;
    if (this.#pending.length > 0) this.#lost(this.#pending.length);
  }

  #lost(rows: number): void {
    this.#logger.error({ lost: rows }, "audit rows could not be kept");
  }
}
