import { limits } from "@queue-api/contract";
import type { RateReport } from "./rate-report.js";

/** A request that a window counts. */
export interface Sent {
  readonly at: number;
  /** How many of our requests this window had answered when it was sent. The window counted them earlier. */
  readonly answered: number;
}

/** When a window resets: at `from` at the earliest, and at `at` at the latest. */
interface Reset {
  readonly from: number;
  readonly at: number;
}

/** How many requests may be in progress while the limit is unknown. */
const mostProbes = 4;

const windowMs = limits.keyWindowSeconds * 1000;

/**
 * The state of one fixed window of the service, learned from its answers.
 *
 * Our own requests are counted when they are sent. If an answer reports fewer remaining requests than our
 * own count explains, another program uses the key. The reset is reported in whole seconds, rounded up, and
 * answers can overtake each other. Therefore a request that may count in either of two windows counts in
 * both.
 */
export class RateWindow {
  #limit: number | null = null;
  /** The lower bound of the limit while it is unknown. */
  #limitAtLeast = 0;
  /** Our requests that count, or may count, in this window. */
  #sent = 0;
  /** The part of `#sent` that the previous window may have counted instead. */
  #carried = 0;
  /** Requests of other programs in this window, as far as answers show. */
  #sentByOthers = 0;
  #inFlight = 0;
  /** Null while unknown. */
  #reset: Reset | null = null;
  #lastResetAt = Number.NEGATIVE_INFINITY;
  /** Our requests that the next window may have counted instead, and the end of that window in this case. */
  #ofNext = { count: 0, until: 0 };

  /** How many requests the window allows; null while unknown. */
  get limit(): number | null {
    return this.#limit;
  }

  /** Sets the limit, which came with the report on another window. */
  setLimit(limit: number): void {
    this.#limit = limit;
  }

  /** When the window resets next, at the latest; null while unknown. */
  resetAfter(now: number): number | null {
    this.#roll(now);
    return this.#reset?.at ?? null;
  }

  /** Whether one more request fits. While the limit is unknown, a few requests at a time may probe it. */
  hasRoom(now: number): boolean {
    this.#roll(now);
    if (this.#sent + this.#sentByOthers < (this.#limit ?? this.#limitAtLeast)) return true;
    return this.#limit === null && this.#inFlight < mostProbes;
  }

  /** Counts a request that is about to be sent. */
  charge(now: number): Sent {
    const answered = this.#sent - this.#inFlight - this.#carried;
    this.#sent += 1;
    this.#inFlight += 1;
    return { at: now, answered };
  }

  /** Uncounts a request that was not sent after all. */
  uncharge(): void {
    this.#sent -= 1;
    this.#inFlight -= 1;
  }

  /**
   * Ends a request without a report on this window. Some window may have counted it in the meantime.
   *
   * @param left - The lower bound of the remaining requests; null if unknown.
   */
  endUnreported(sent: Sent, left: number | null, now: number): void {
    this.#roll(now);
    this.#inFlight -= 1;
    if (left !== null) {
      const before = sent.at >= this.#lastResetAt ? sent.answered : 0;
      this.#limitAtLeast = Math.max(this.#limitAtLeast, before + 1 + left);
    }
    if (!this.#reset) this.#reset = { from: sent.at + windowMs, at: now + windowMs };
    else if (now > this.#reset.from) {
      this.#ofNext = { count: this.#ofNext.count + 1, until: now + windowMs };
    }
  }

  /** Ends a request with a report: on the current window, the next one, or (late) the previous one. */
  endReported(sent: Sent, report: RateReport, now: number): void {
    this.#roll(now);
    const reset = { from: sent.at + report.resetMs - 1000, at: now + report.resetMs };
    if (reset.from <= this.#lastResetAt) {
      this.#limit ??= report.limit;
      this.#sent -= 1;
    } else {
      if (this.#reset && reset.from > this.#reset.at) this.#empty(now); // reset earlier than reported
      this.#limit = report.limit;
      this.#sentByOthers = Math.max(
        this.#sentByOthers,
        report.limit - report.remaining - this.#sent,
      );
      this.#narrow(reset);
    }
    this.#inFlight -= 1;
  }

  /** Forgets everything except the requests in progress. */
  forget(): void {
    this.#limit = null;
    this.#limitAtLeast = 0;
    this.#ofNext = { count: 0, until: 0 };
    this.#empty(this.#lastResetAt);
  }

  #narrow({ from, at }: Reset): void {
    const known = this.#reset;
    this.#reset = known
      ? { from: Math.max(known.from, from), at: Math.min(known.at, at) }
      : { from, at };
  }

  #roll(now: number): void {
    while (this.#reset && now >= this.#reset.at) this.#empty(this.#reset.at);
  }

  /** Starts the next window. Only requests that it may already have counted count in it. */
  #empty(resetAt: number): void {
    const { count, until } = this.#ofNext;
    const from = this.#reset ? this.#reset.from + windowMs : until;
    this.#lastResetAt = resetAt;
    this.#carried = count;
    this.#sent = this.#inFlight + count;
    this.#sentByOthers = 0;
    this.#ofNext = { count: 0, until: 0 };
    this.#reset = count > 0 ? { from, at: until } : null;
  }
}
