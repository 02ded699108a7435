import { limits } from "@queue-api/contract";

/** What is known of a window from one answer. */
export interface WindowNews {
  /** Requests that the window allows; null when the answer tells of another window. */
  readonly limit: number | null;
  /** Requests that are left, or at least that many when the answer tells of another window. */
  readonly remaining: number;
  /** Until the window resets, rounded up to whole seconds. */
  readonly resetMs: number;
}

/** How many requests may be under way while the limit is not known. */
const scouts = 4;

/**
 * What is known of one fixed window of the service, learned from its answers.
 *
 * Own requests are counted as they are sent. An answer that leaves less than they explain shows that
 * somebody else uses the key. The reset is told in whole seconds, rounded up; the earliest moment that
 * the answers imply is still never too early.
 */
export class RateWindow {
  #limit: number | null = null;
  /** While the limit is not known: what it is at least. */
  #limitAtLeast = 0;
  /** Own requests that count in this window, or may do so. */
  #sent = 0;
  /** Requests of others that count in this window, as far as answers show. */
  #ofOthers = 0;
  #underWay = 0;
  #resetAt: number | null = null;
  #lastResetAt = Number.NEGATIVE_INFINITY;

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
    if (this.#sent + this.#ofOthers < (this.#limit ?? this.#limitAtLeast)) return true;
    return this.#limit === null && this.#underWay < scouts;
  }

  /** A request is sent. */
  charge(): void {
    this.#sent += 1;
    this.#underWay += 1;
  }

  /** A request was not sent after all. */
  uncharge(): void {
    this.#sent -= 1;
    this.#underWay -= 1;
  }

  /** A request ended without news of this window. It may have been counted, in a window that ran by then. */
  endUntold(now: number): void {
    this.#roll(now);
    this.#resetAt ??= now + limits.keyWindowSeconds * 1000;
    this.#underWay -= 1;
  }

  /** A request ended with news: of the window that runs, of the next one, or, too late, of the one before. */
  endTold(sentAt: number, news: WindowNews, now: number): void {
    this.#roll(now);
    const firstNews = this.#limit === null && news.limit !== null;
    const soonestReset = sentAt + news.resetMs - 1000;
    if (firstNews || soonestReset > (this.#resetAt ?? this.#lastResetAt)) this.#begin(news, now);
    else if (this.#resetAt !== null) this.#goOn(news, now);
    else this.#sent -= 1;
    this.#underWay -= 1;
  }

  /** Forgets all but what is under way. */
  forget(): void {
    this.#limit = null;
    this.#limitAtLeast = 0;
    this.#empty();
  }

  #begin(news: WindowNews, now: number): void {
    if (this.#resetAt !== null) this.#empty(); // sooner than was told: the service has started anew
    this.#resetAt = now + news.resetMs;
    this.#learn(news);
  }

  #goOn(news: WindowNews, now: number): void {
    this.#resetAt = Math.min(this.#resetAt ?? Number.POSITIVE_INFINITY, now + news.resetMs);
    this.#learn(news);
  }

  #learn({ limit, remaining }: WindowNews): void {
    this.#limit = limit;
    if (limit === null) {
      const answered = this.#sent - this.#underWay + 1;
      this.#limitAtLeast = Math.max(this.#limitAtLeast, answered + remaining);
    } else {
      this.#ofOthers = Math.max(this.#ofOthers, limit - remaining - this.#sent);
    }
  }

  #roll(now: number): void {
    if (this.#resetAt === null || now < this.#resetAt) return;
    this.#lastResetAt = this.#resetAt;
    this.#empty();
  }

  /** A window in which nothing counts yet but, perhaps, what is under way. */
  #empty(): void {
    this.#sent = this.#underWay;
    this.#ofOthers = 0;
    this.#resetAt = null;
  }
}
