import type { Logger } from "pino";
import type { AuditRow } from "../rules/records.js";
import type { Store } from "../store/store.js";

const flushEveryMs = 250;
const batchSize = 1_000;
const mostPending = 20_000;

/** Audit rows of requests that changed nothing: kept in batches, on a short timer and at the end. */
export class AuditTrail {
  readonly #store: Store;
  readonly #logger: Logger;
  #pending: AuditRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Whether so much is waiting to be kept that no further request may be let in. */
  get isFull(): boolean {
    return this.#pending.length >= mostPending;
  }

  record(row: AuditRow): void {
    this.#pending.push(row);
    if (this.#pending.length >= batchSize) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), flushEveryMs);
  }

  /** Keeps what is pending. Rows that could not be kept stay pending and are tried again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing ??= this.#drain().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      const rows = this.#pending.slice(0, batchSize);
      try {
        await this.#store.appendAudit(rows);
      } catch (error) {
        this.#logger.error(
          { err: error, pending: this.#pending.length },
          "audit rows not kept yet",
        );
        this.#timer ??= setTimeout(() => void this.flush(), flushEveryMs);
        return;
      }
      this.#pending.splice(0, rows.length);
    }
  }

  /** Keeps what is pending and stops trying; says in the log how many rows could not be kept. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#pending.length > 0) await this.flush();
    clearTimeout(this.#timer);
    if (this.#pending.length > 0) {
      this.#logger.error({ lost: this.#pending.length }, "audit rows could not be kept");
    }
  }
}
