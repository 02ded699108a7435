import type { Logger } from "pino";
import { businessDay } from "../../rules/business-day.js";
import type { Business } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import { rootBelow } from "../root.js";
import { pictureOf } from "./pieces.js";
import { type Follower, Showing, type Shown } from "./showing.js";

/** How many people of each line are shown, unless everybody is asked for. */
const shownOfLine = 20;

/** How often the store is asked whether something changed, while somebody looks. */
const askEveryMs = 500;

/** How long it is believed that the business's day is still the same. */
const dayLastsMs = 2_000;

/** What a watch is made of. */
export interface WatchDeps {
  readonly store: Store;
  readonly logger: Pick<Logger, "warn">;
  /** Address of the service as browsers know it. */
  readonly baseUrl: () => string;
}

/**
 * The boards of one business, for all browsers that look at them through this process. While somebody
 * does, the store is asked for the version of the board; only when that differs, the board is read.
 */
export class BoardWatch {
  readonly #store: Store;
  readonly #logger: WatchDeps["logger"];
  readonly #baseUrl: () => string;
  readonly #business: Business;
  readonly #showings = new Map<string | null, Showing>();
  #day = { date: "", until: 0 };
  #running = false;
  #hurried = false;
  #wake = () => {};
  #lastUsed = performance.now();

  constructor({ store, logger, baseUrl }: WatchDeps, business: Business) {
    this.#store = store;
    this.#logger = logger;
    this.#baseUrl = baseUrl;
    this.#business = business;
  }

  /** Since when nobody has looked, by `performance.now()`; null while somebody does. */
  get idleSince(): number | null {
    return this.#followed().length > 0 ? null : this.#lastUsed;
  }

  /**
   * Reads the board now, and shows it to all who follow it.
   * `wholeLine`: the queue of which everybody waiting is shown, or null.
   */
  async read(wholeLine: string | null): Promise<Shown> {
    this.#lastUsed = performance.now();
    const showing = this.#showing(wholeLine);
    const show = showing.begin();
    const date = await this.#today();
    const request = { limit: shownOfLine, wholeLine };
    const board = await this.#store.board(this.#business.id, date, request);
    const before = showing.current?.snapshot ?? null;
    const root = rootBelow(this.#baseUrl());
    const shown = { board, date, snapshot: pictureOf(board, this.#business, root, before) };
    show(shown);
    return shown;
  }

  /** Tells a follower of each change, until he stops. What is shown then is of now. */
  async follow(wholeLine: string | null, follower: Follower): Promise<Showing> {
    const showing = this.#showing(wholeLine);
    await this.#update([wholeLine]);
    showing.followers.add(follower);
    void this.#run();
    return showing;
  }

  /** Something changed just now: whoever looks shall see it at once. */
  hurry(): void {
    this.#hurried = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#followed().length > 0) {
        this.#hurried = false;
        await this.#update(this.#followed().map(({ wholeLine }) => wholeLine));
        if (!this.#hurried) await this.#pause();
      }
    } catch (error) {
      this.#logger.warn({ err: error }, "boards are not live: the store does not answer");
      for (const { followers } of this.#followed())
        for (const follower of followers) follower.lost();
    } finally {
      this.#lastUsed = performance.now();
      this.#running = false;
    }
  }

  /** Reads anew what differs from the store's. */
  async #update(wholeLines: readonly (string | null)[]): Promise<void> {
    const date = await this.#today();
    const version = await this.#store.boardVersion(this.#business.id, date);
    for (const wholeLine of wholeLines) {
      const { current } = this.#showing(wholeLine);
      const isKnown = current?.board.version === version && current.date === date;
      if (!isKnown) await this.read(wholeLine);
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, askEveryMs);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #today(): Promise<string> {
    const at = performance.now();
    if (at >= this.#day.until) {
      const date = businessDay(await this.#store.now(), this.#business.timezone);
      this.#day = { date, until: at + dayLastsMs };
    }
    return this.#day.date;
  }

  #showing(wholeLine: string | null): Showing {
    const showing = this.#showings.get(wholeLine) ?? new Showing(wholeLine);
    this.#showings.set(wholeLine, showing);
    return showing;
  }

  #followed(): Showing[] {
    return [...this.#showings.values()].filter(({ followers }) => followers.size > 0);
  }
}
