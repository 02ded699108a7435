import { type Claim, leaseSeconds } from "../rules/idempotency.js";
import type { Store } from "./store.js";

const retryEveryMs = 1_000;

/** The maximum number of pending releases in one process. */
const mostPending = 1_000;

/** A key whose request ended while the database was unavailable. */
interface Pending {
  readonly run: () => Promise<void>;
  /** The end of its lease, in elapsed time. The key then needs no release. */
  readonly until: number;
}

/** The log for keys that could not be released. */
interface Log {
  warn(details: object, message: string): void;
}

/**
 * Releases the Idempotency-Keys of requests that ended without a result. If the database is unavailable, the
 * request ends anyway, and the key is released when the database is back.
 */
export class KeyReleases {
  readonly #store: Pick<Store, "idempotency">;
  readonly #logger: Log;
  readonly #elapsed: () => number;
  #pending: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    store: Pick<Store, "idempotency">,
    logger: Log,
    elapsed: () => number = () => performance.now(),
  ) {
    this.#store = store;
    this.#logger = logger;
    this.#elapsed = elapsed;
  }

  /**
   * Frees the key of a request that was refused. A claim that was taken over is kept, because the insert of
   * the earlier request may still reach the database. A retry then finds its entry by the claim id.
   */
  afterRefusal(
    businessId: string,
    { claim, takenOver }: { readonly claim: Claim; readonly takenOver: boolean },
  ): Promise<void> {
    if (takenOver) return this.afterFailure(businessId, claim);
    return this.#run(() => this.#store.idempotency.release(businessId, claim));
  }

  /**
   * Ends the lease of a request that failed. The claim remains, because the token may have been issued. A
   * retry takes the claim over, and either finds the issued token or issues one.
   */
  afterFailure(businessId: string, claim: Claim): Promise<void> {
    return this.#run(() => this.#store.idempotency.endLease(businessId, claim));
  }

  /** Retries the pending releases once, and discards those that fail. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#pending.splice(0).map(({ run }) => run()));
  }

  async #run(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#logger.warn({ err: error }, "an Idempotency-Key could not be released; trying again");
      if (this.#pending.length >= mostPending) return; // its lease ends without a release
      this.#pending.push({ run, until: this.#elapsed() + leaseSeconds * 1000 });
      this.#retryLater();
    }
  }

  #retryLater(): void {
    this.#timer ??= setTimeout(() => void this.#retry(), retryEveryMs).unref();
  }

  async #retry(): Promise<void> {
    const pending = this.#pending.splice(0).filter(({ until }) => this.#elapsed() < until);
    for (const [at, { run }] of pending.entries()) {
      try {
        await run();
      } catch {
        this.#pending.push(...pending.slice(at));
        break;
      }
    }
    this.#timer = undefined;
    if (this.#pending.length > 0) this.#retryLater();
  }
}
