import { type Claim, leaseSeconds } from "../rules/idempotency.js";
import type { Store } from "./store.js";

const retryEveryMs = 1_000;

/** How many keys one process remembers to release. */
const mostPending = 1_000;

/** A key whose request ended while the database could not be reached. */
interface Pending {
  readonly run: () => Promise<void>;
  /** When its lease has ended anyway, by the time that has elapsed. */
  readonly until: number;
}

/** Where a key that could not be released is logged. */
interface Log {
  warn(details: object, message: string): void;
}

/**
 * Releases the Idempotency-Keys of requests that ended without a result. If the database cannot be reached,
 * the request ends all the same, and the key is released once the database is back.
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
   * Frees the key of a request that was refused. A claim that was taken over is kept: the insert of the
   * earlier request may still reach the database, and a retry finds its entry by the claim's id.
   */
  afterRefusal(
    businessId: string,
    { claim, takenOver }: { readonly claim: Claim; readonly takenOver: boolean },
  ): Promise<void> {
    if (takenOver) return this.afterFailure(businessId, claim);
    return this.#run(() => this.#store.idempotency.release(businessId, claim));
  }

  /**
   * Ends the lease of a request that failed. The claim stays, for the token may have been issued: a retry
   * takes the claim over, and finds what was issued or issues it.
   */
  afterFailure(businessId: string, claim: Claim): Promise<void> {
    return this.#run(() => this.#store.idempotency.endLease(businessId, claim));
  }

  /** Tries once more what is pending, and gives up what fails. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#pending.splice(0).map(({ run }) => run()));
  }

  async #run(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#logger.warn({ err: error }, "an Idempotency-Key could not be let go of yet");
      if (this.#pending.length >= mostPending) return; // its lease ends by itself
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
