/** What is known of a window from one answer. */
export interface WindowNews {
  /** Requests that the window allows; null when the answer tells of another window. */
  readonly limit: number | null;
  /** Requests that are left, or at least that many when the answer tells of another window. */
  readonly remaining: number;
  /** Until the window resets, rounded up to whole seconds. */
  readonly resetMs: number;
}

/** One request as a window sees it. */
export interface Charge {
  /** Its place in the order in which requests were sent and ended. */
  readonly sentOrder: number;
  readonly sentAt: number;
}

/** How many requests may be under way while the limit is not known. */
const scouts = 4;

/**
 * What is known of one fixed window of the service, learned from its answers.
 *
 * A request counts from the moment it is sent: until its answer comes it may or may not be part of what
 * other answers report, so it is held against the window. The reset is reported in whole seconds, rounded
 * up; the earliest moment that the answers imply is still never too early.
 */
export class RateWindow {
  #limit: number | null = null;
  #remaining = 0;
  #resetAt: number | null = null;
  #lastResetAt = Number.NEGATIVE_INFINITY;
  #underWay = 0;
  /** Requests that ended without news of this window since the latest, by their place in the order. */
  #untold: number[] = [];

  /** How many requests the window allows; null while that is not known. */
  get limit(): number | null {
    return this.#limit;
  }

  /** When the window resets; null while that is not known. */
  get resetAt(): number | null {
    return this.#resetAt;
  }

  /** Whether one more request fits. Where too little is known, a few at a time go to find out. */
  hasRoom(now: number): boolean {
    this.#roll(now);
    if (this.#remaining - this.#untold.length - this.#underWay > 0) return true;
    if (this.#limit === null) return this.#underWay < scouts;
    return this.#resetAt === null && this.#underWay === 0;
  }

  /** A request is sent. */
  charge(): void {
    this.#underWay += 1;
  }

  /** A request was not sent after all. */
  uncharge(): void {
    this.#underWay -= 1;
  }

  /** A request ended without news of this window. It may have been counted. */
  endUntold(endedOrder: number): void {
    this.#underWay -= 1;
    if (this.#untold.length < this.#remaining) this.#untold.push(endedOrder);
  }

  /** A request ended with news: of the window that runs, of the next one, or, too late, of the one before. */
  endTold(charge: Charge, news: WindowNews, now: number): void {
    this.#underWay -= 1;
    this.#roll(now);
    const soonestReset = charge.sentAt + news.resetMs - 1000;
    const firstNews = this.#limit === null && news.limit !== null;
    if (firstNews || soonestReset > (this.#resetAt ?? this.#lastResetAt)) {
      this.#limit = news.limit;
      this.#remaining = news.remaining;
      this.#resetAt = now + news.resetMs;
    } else if (this.#resetAt !== null) {
      this.#limit = news.limit;
      this.#remaining = Math.min(this.#remaining, news.remaining);
      this.#resetAt = Math.min(this.#resetAt, now + news.resetMs);
    } else {
      return;
    }
    this.#untold = this.#untold.filter((endedOrder) => endedOrder > charge.sentOrder);
  }

  /** Forgets all but what is under way. */
  forget(): void {
    this.#limit = null;
    this.#resetAt = null;
    this.#refill();
  }

  #roll(now: number): void {
    if (this.#resetAt === null || now < this.#resetAt) return;
    this.#lastResetAt = this.#resetAt;
    this.#resetAt = null;
    this.#refill();
  }

  #refill(): void {
    this.#remaining = this.#limit ?? 0;
    this.#untold = [];
  }
}
