import { limits } from "@queue-api/contract";
import type { RateReport } from "./rate-report.js";

/** A request that a window counts. */
export interface Sent {
  readonly at: number;
  /** How many own requests this window had answered by then: they were counted before it. */
  readonly answered: number;
}

/** When a window resets: no sooner than from the one moment on, and at the other at the latest. */
interface Reset {
  readonly from: number;
  readonly at: number;
}

/** How many requests may be under way while the limit is not known. */
const scouts = 4;

const windowMs = limits.keyWindowSeconds * 1000;

/**
 * What is known of one fixed window of the service, learned from its answers.
 *
 * Own requests are counted as they are sent. An answer that leaves less than they explain shows that
 * somebody else uses the key. The reset is told in whole seconds, rounded up, and answers overtake each
 * other; so what may count in two windows counts in both.
 */
export class RateWindow {
  #limit: number | null = null;
  /** While the limit is not known: what it is at least. */
  #limitAtLeast = 0;
  /** Own requests that count in this window, or may do so. */
  #sent = 0;
  /** Of them, those that the window before may have counted in this one's place. */
  #carried = 0;
  /** Requests of others that count in this window, as far as answers show. */
  #ofOthers = 0;
  #underWay = 0;
  /** Null while nothing is known of it. */
  #reset: Reset | null = null;
  #lastResetAt = Number.NEGATIVE_INFINITY;
  /** Own requests that the next window may have counted in this one's place, and how long it lasts then. */
  #ofNext = { count: 0, until: 0 };

  /** How many requests the window allows; null while that is not known. */
  get limit(): number | null {
    return this.#limit;
  }

  /** The limit is told beside the news of another window. */
  know(limit: number): void {
    this.#limit = limit;
  }

  /** When the window resets at the latest; null while that is not known. */
  get resetAt(): number | null {
    return this.#reset?.at ?? null;
  }

  /** Whether one more request fits. Where too little is known, a few at a time go to find out. */
  hasRoom(now: number): boolean {
    this.#roll(now);
    if (this.#sent + this.#ofOthers < (this.#limit ?? this.#limitAtLeast)) return true;
    return this.#limit === null && this.#underWay < scouts;
  }

  /** A request is sent. */
  charge(now: number): Sent {
    const answered = this.#sent - this.#underWay - this.#carried;
    this.#sent += 1;
    this.#underWay += 1;
    return { at: now, answered };
  }

  /** A request was not sent after all. */
  uncharge(): void {
    this.#sent -= 1;
    this.#underWay -= 1;
  }

  /**
   * A request ended without news of this window. It may have been counted, in a window that ran by then.
   *
   * @param left - How many requests were left at least; null when not even that is known.
   */
  endUntold(sent: Sent, left: number | null, now: number): void {
    this.#roll(now);
    this.#underWay -= 1;
    if (left !== null) {
      const before = sent.at >= this.#lastResetAt ? sent.answered : 0;
      this.#limitAtLeast = Math.max(this.#limitAtLeast, before + 1 + left);
    }
    if (!this.#reset) this.#reset = { from: sent.at + windowMs, at: now + windowMs };
    else if (now > this.#reset.from) {
      this.#ofNext = { count: this.#ofNext.count + 1, until: now + windowMs };
    }
  }

  /** A request ended with news: of the window that runs, of the next one, or, too late, of the one before. */
  endTold(sent: Sent, news: RateReport, now: number): void {
    this.#roll(now);
    const reset = { from: sent.at + news.resetMs - 1000, at: now + news.resetMs };
    if (reset.from <= this.#lastResetAt) {
      this.#limit ??= news.limit;
      this.#sent -= 1;
    } else {
      if (this.#reset && reset.from > this.#reset.at) this.#empty(now); // sooner than was told: it has started anew
      this.#limit = news.limit;
      this.#ofOthers = Math.max(this.#ofOthers, news.limit - news.remaining - this.#sent);
      this.#narrow(reset);
    }
    this.#underWay -= 1;
  }

  /** Forgets all but what is under way. */
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

  /** The next window: nothing counts in it yet but what may do so already. */
  #empty(resetAt: number): void {
    const { count, until } = this.#ofNext;
    const from = this.#reset ? this.#reset.from + windowMs : until;
    this.#lastResetAt = resetAt;
    this.#carried = count;
    this.#sent = this.#underWay + count;
    this.#ofOthers = 0;
    this.#ofNext = { count: 0, until: 0 };
    this.#reset = count > 0 ? { from, at: until } : null;
  }
}
