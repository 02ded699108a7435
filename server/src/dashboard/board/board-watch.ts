import type { Logger } from "pino";
import { businessDay } from "../../rules/business-day.js";
import type { Business } from "../../rules/records.js";
import type { LinePart } from "../../store/port/boards.js";
import type { Store } from "../../store/store.js";
import { rootBelow } from "../root.js";
import type { Time } from "../time.js";
import { queryOfPart } from "./line-part.js";
import { pictureOf } from "./pieces.js";
import { Showing, type Shown } from "./showing.js";

/** How many people of each line are shown by default. */
const shownOfLine = 20;

/** How often the store is polled for changes while the board has viewers. */
const askEveryMs = 500;

/** How many showings without followers are kept, to bridge the time from a page to its stream. */
const mostUnfollowed = 10;

/** How long the business's current day is cached. */
const dayLastsMs = 2_000;

/** The dependencies of a watch. */
export interface WatchDeps {
  readonly store: Pick<Store, "boards" | "now">;
  readonly logger: Pick<Logger, "warn" | "error">;
  /** URL of the service as browsers know it. */
  readonly baseUrl: () => string;
  readonly time: Time;
  /** Renders the board. Default: {@link pictureOf}, the owner's board. */
  readonly picture?: typeof pictureOf;
}

/**
 * The boards of one business, for all browsers connected to this process. While there are viewers, the
 * store is polled for the version of the board; the board is read only when the version changes.
 */
export class BoardWatch {
  readonly #store: WatchDeps["store"];
  readonly #logger: WatchDeps["logger"];
  readonly #baseUrl: () => string;
  readonly #time: Time;
  readonly #picture: typeof pictureOf;
  #business: Business;
  /** By the shown part of a line, in order of the last request, oldest first. */
  readonly #showings = new Map<string, Showing>();
  #day = { date: "", until: 0 };
  #running = false;
  #hurried = false;
  #wake = () => {};
  #lastUsed: number;

  constructor(
    { store, logger, baseUrl, time, picture = pictureOf }: WatchDeps,
    business: Business,
  ) {
    this.#store = store;
    this.#logger = logger;
    this.#baseUrl = baseUrl;
    this.#time = time;
    this.#picture = picture;
    this.#business = business;
    this.#lastUsed = time.elapsed();
  }

  /** The business with its current settings. */
  set business(business: Business) {
    this.#business = business;
  }

  /** Since when there are no viewers, on the elapsed-time clock; null while there are some. */
  get idleSince(): number | null {
    return this.#followed().length > 0 ? null : this.#lastUsed;
  }

  /**
   * Reads the board now, and sends it to all followers.
   * `part`: the part of one queue's line to show instead of its beginning.
   */
  async read(part: LinePart | null): Promise<Shown> {
    this.#lastUsed = this.#time.elapsed();
    const showing = this.#showing(part);
    const show = showing.begin();
    const date = await this.#today();
    const request = { limit: shownOfLine, part };
    const board = await this.#store.boards.get(this.#business.id, date, request);
    const before = showing.current?.snapshot ?? null;
    const root = rootBelow(this.#baseUrl());
    const shown = {
      board,
      date,
      snapshot: this.#picture(board, this.#business, { root, part }, before),
    };
    show(shown);
    return shown;
  }

  /** A showing to follow. It is current, however long there were no viewers. */
  async showing(part: LinePart | null): Promise<Showing> {
    this.#lastUsed = this.#time.elapsed();
    await this.#update([part]);
    return this.#showing(part);
  }

  /** Reports a change, so that viewers see it at once. */
  hurry(): void {
    this.#hurried = true;
    this.#wake();
  }

  #follow(): void {
    if (this.#running) return;
    this.#running = true;
    this.#run().catch((error: unknown) => {
      this.#logger.warn({ err: error }, "boards are not live: the store does not answer");
      for (const showing of this.#followed()) showing.lose();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#followed().length > 0) {
        this.#hurried = false;
        await this.#update(this.#followed().map(({ part }) => part));
        if (!this.#hurried) await this.#pause();
      }
    } finally {
      this.#lastUsed = this.#time.elapsed();
      this.#running = false; // in the same tick, or the next caller would wait in vain
    }
  }

  /** Reads again what differs from the store. */
  async #update(parts: readonly (LinePart | null)[]): Promise<void> {
    const date = await this.#today();
    const version = await this.#store.boards.version(this.#business.id, date);
    for (const part of parts) {
      const { current } = this.#showing(part);
      const isKnown = current?.board.version === version && current.date === date;
      if (!isKnown) await this.read(part);
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#time.after(askEveryMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  async #today(): Promise<string> {
    const at = this.#time.elapsed();
    if (at >= this.#day.until) {
      const date = businessDay(await this.#store.now(), this.#business.timezone);
      this.#day = { date, until: at + dayLastsMs };
    }
    return this.#day.date;
  }

  #showing(part: LinePart | null): Showing {
    const name = queryOfPart(part);
    const known = this.#showings.get(name);
    const showing = known ?? new Showing(part, () => this.#follow(), this.#logger);
    this.#showings.delete(name);
    this.#showings.set(name, showing);
    if (!known) this.#forgetUnfollowed();
    return showing;
  }

  /** A long line has many parts. Of those without followers, only the most recent few are kept. */
  #forgetUnfollowed(): void {
    const unfollowed = [...this.#showings].filter(([, { isFollowed }]) => !isFollowed);
    for (const [name] of unfollowed.slice(0, -mostUnfollowed)) this.#showings.delete(name);
  }

  #followed(): Showing[] {
    return [...this.#showings.values()].filter(({ isFollowed }) => isFollowed);
  }
}
