import type { Logger } from "pino";
import type { Board, LinePart } from "../../operations/boards.js";
import type { Store } from "../../operations/store.js";
import { businessDay } from "../../rules/business-day.js";
import type { Business } from "../../rules/records.js";
import { rootBelow } from "../root.js";
import type { Time } from "../time.js";
import { boardSnapshot } from "./card.js";
import { queryOfPart } from "./line-part.js";
import type { Snapshot } from "./snapshot.js";

/** How many people of each line are shown by default. */
const shownOfLine = 20;

/** How often the store is polled for changes while somebody follows the board. */
const askEveryMs = 500;

/** How long the business's current day is cached. */
const dayLastsMs = 2_000;

/** The dependencies of the live boards. */
export interface LiveBoardsDeps {
  readonly store: Pick<Store, "boards" | "now">;
  readonly logger: Pick<Logger, "warn">;
  /** URL of the service as browsers know it. */
  readonly baseUrl: () => string;
  readonly time: Time;
  /** Renders the board. Default: {@link boardSnapshot}, the owner's board. */
  readonly render?: typeof boardSnapshot;
}

/** A board as read from the store, and its rendered form. */
export interface Shown {
  readonly board: Board;
  readonly date: string;
  readonly snapshot: Snapshot;
}

/** A follower of a board. */
export interface Follower {
  /** The board now. Called at the beginning and whenever the store was asked, so mostly with the same board. */
  show(now: Snapshot): void;
  /** The board can no longer be followed, because the store does not answer. */
  end(): void;
}

/** The board of a business, with one part of a line, for all who follow it in this process. */
interface Watch {
  /** With its current settings. */
  business: Business;
  readonly part: LinePart | null;
  readonly followers: Set<Follower>;
  shown: Shown | null;
  day: { readonly date: string; readonly until: number };
  isHurried: boolean;
  /** Ends the pause before the store is asked again. */
  wake: () => void;
}

/**
 * The boards of all businesses. While somebody follows a board, the store is polled for its version, once for all
 * followers in this process; the board is read only when the version changes.
 */
export class LiveBoards {
  readonly #deps: LiveBoardsDeps;
  readonly #watches = new Map<string, Watch>();

  constructor(deps: LiveBoardsDeps) {
    this.#deps = deps;
  }

  /** Reads a board now. `part`: see {@link LinePart}; null for none. */
  async read(business: Business, part: LinePart | null): Promise<Shown> {
    const now = await this.#deps.store.now();
    return this.#read(business, part, businessDay(now, business.timezone));
  }

  /** Shows a follower the board until the returned function is called or the follower is ended. */
  follow(business: Business, part: LinePart | null, follower: Follower): () => void {
    const name = `${business.id}${queryOfPart(part)}`;
    const watch = this.#watches.get(name) ?? this.#begin(name, business, part);
    watch.business = business;
    watch.followers.add(follower);
    hurry(watch);
    return () => watch.followers.delete(follower);
  }

  /** Reports a change in a business, so that followers see it at once. */
  hurry({ id }: Business): void {
    for (const watch of this.#watches.values()) if (watch.business.id === id) hurry(watch);
  }

  #begin(name: string, business: Business, part: LinePart | null): Watch {
    const watch: Watch = {
      ...{ business, part, followers: new Set(), shown: null },
      ...{ day: { date: "", until: 0 }, isHurried: false, wake: () => {} },
    };
    this.#watches.set(name, watch);
    this.#run(name, watch);
    return watch;
  }

  async #run(name: string, watch: Watch): Promise<void> {
    const { followers } = watch;
    try {
      do {
        await this.#pause(watch);
        await this.#update(watch);
      } while (followers.size > 0);
    } catch (error) {
      this.#deps.logger.warn({ err: error }, "boards are not live: the store does not answer");
      for (const follower of followers) follower.end();
    }
    this.#watches.delete(name); // in the same tick, or the next follower would wait in vain
  }

  async #update(watch: Watch): Promise<void> {
    watch.isHurried = false;
    const followers = [...watch.followers]; // the page of one who comes meanwhile may be newer
    const { business, part, shown: before } = watch;
    const date = await this.#today(watch);
    const version = await this.#deps.store.boards.version(business.id, date);
    const isSame = before?.board.version === version && before.date === date;
    const shown = isSame ? before : await this.#read(business, part, date);
    watch.shown = shown;
    for (const follower of followers) follower.show(shown.snapshot);
  }

  async #read(business: Business, part: LinePart | null, date: string): Promise<Shown> {
    const { store, baseUrl, render = boardSnapshot } = this.#deps;
    const board = await store.boards.get(business.id, date, { limit: shownOfLine, part });
    return { board, date, snapshot: render(board, business, { root: rootBelow(baseUrl()), part }) };
  }

  async #today(watch: Watch): Promise<string> {
    const { store, time } = this.#deps;
    const at = time.elapsed();
    if (at >= watch.day.until) {
      const date = businessDay(await store.now(), watch.business.timezone);
      watch.day = { date, until: at + dayLastsMs };
    }
    return watch.day.date;
  }

  async #pause(watch: Watch): Promise<void> {
    if (watch.isHurried) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.time.after(askEveryMs, resolve);
      watch.wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

function hurry(watch: Watch): void {
  watch.isHurried = true;
  watch.wake();
}
