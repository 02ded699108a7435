import type { Logger } from "pino";
import { businessDay } from "../../rules/business-day.js";
import type { Business } from "../../rules/records.js";
import type { Board, LinePart } from "../../store/port/boards.js";
import type { Store } from "../../store/store.js";
import { notifyEach } from "../notify-each.js";
import { rootBelow } from "../root.js";
import type { Time } from "../time.js";
import { boardSnapshot } from "./card.js";
import { queryOfPart } from "./line-part.js";
import type { Snapshot } from "./snapshot.js";

/** How many people of each line are shown by default. */
const shownOfLine = 20;

/** How often the store is polled for changes while the board has viewers. */
const askEveryMs = 500;

/** How many views without followers are kept, to bridge the time from a page to its stream. */
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
  /** The board has changed. */
  changed(now: Snapshot): void;
  /** The board can no longer be followed, because the store does not answer. */
  lost(): void;
}

/** What browsers that request the same part of a line see. */
interface View {
  readonly part: LinePart | null;
  readonly followers: Set<Follower>;
  current: Shown | null;
  /** How many reads have begun, and which of them is shown: reads may end in any order. */
  begun: number;
  shown: number;
}

/**
 * The board of one business, for all browsers connected to this process. While there are viewers, the
 * store is polled for the version of the board; the board is read only when the version changes.
 */
export class BoardWatch {
  readonly #deps: WatchDeps;
  #business: Business;
  /** By the shown part of a line, in order of the last request, oldest first. */
  readonly #views = new Map<string, View>();
  #day = { date: "", until: 0 };
  #running = false;
  #hurried = false;
  #wake = () => {};
  #lastUsed: number;

  constructor(deps: WatchDeps, business: Business) {
    this.#deps = deps;
    this.#business = business;
    this.#lastUsed = deps.time.elapsed();
  }

  /** The business with its current settings. */
  set business(business: Business) {
    this.#business = business;
  }

  /** Since when there are no viewers, on the elapsed-time clock; null while there are some. */
  get idleSince(): number | null {
    return this.#followed().length > 0 ? null : this.#lastUsed;
  }

  /** Reads the board now, and sends it to all followers. `part`: see {@link LinePart}; null for none. */
  read(part: LinePart | null): Promise<Shown> {
    return this.#read(this.#view(part));
  }

  /**
   * Notifies a follower of each change until the returned function is called or the board is lost. `current`:
   * the board now, however long there were no viewers.
   */
  async follow(
    part: LinePart | null,
    follower: Follower,
  ): Promise<{ readonly current: Snapshot; readonly leave: () => void }> {
    const view = this.#view(part);
    const { snapshot } = await this.#update(view);
    view.followers.add(follower);
    this.#views.set(queryOfPart(part), view); // it may have been forgotten meanwhile
    this.#poll();
    return {
      current: view.current?.snapshot ?? snapshot,
      leave: () => view.followers.delete(follower),
    };
  }

  /** Reports a change, so that viewers see it at once. */
  hurry(): void {
    this.#hurried = true;
    this.#wake();
  }

  #poll(): void {
    if (this.#running) return;
    this.#running = true;
    this.#run().catch((error: unknown) => {
      this.#deps.logger.warn({ err: error }, "boards are not live: the store does not answer");
      for (const view of this.#followed()) this.#lose(view, [...view.followers]);
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#followed().length > 0) {
        this.#hurried = false;
        for (const view of this.#followed()) await this.#update(view);
        if (!this.#hurried) await this.#pause();
      }
    } finally {
      this.#lastUsed = this.#deps.time.elapsed();
      this.#running = false; // in the same tick, or the next caller would wait in vain
    }
  }

  /** Reads a view again if it differs from the store. */
  async #update(view: View): Promise<Shown> {
    const date = await this.#today();
    const version = await this.#deps.store.boards.version(this.#business.id, date);
    const { current } = view;
    const isKnown = current?.board.version === version && current.date === date;
    return isKnown ? current : this.#read(view);
  }

  async #read(view: View): Promise<Shown> {
    const { store, baseUrl, render = boardSnapshot } = this.#deps;
    const { part } = view;
    const turn = ++view.begun;
    const date = await this.#today();
    const board = await store.boards.get(this.#business.id, date, { limit: shownOfLine, part });
    const root = rootBelow(baseUrl());
    const shown = { board, date, snapshot: render(board, this.#business, { root, part }) };
    if (turn >= view.shown) {
      view.shown = turn;
      this.#show(view, shown);
    }
    return shown;
  }

  /** An unchanged snapshot is kept, because followers compare it with what they show. */
  #show(view: View, shown: Shown): void {
    const before = view.current?.snapshot;
    const isSame = before?.id === shown.snapshot.id;
    view.current = isSame ? { ...shown, snapshot: before } : shown;
    if (isSame) return;
    const tell = (follower: Follower) => follower.changed(shown.snapshot);
    this.#lose(view, notifyEach(view.followers, tell, this.#deps.logger));
  }

  #lose(view: View, followers: readonly Follower[]): void {
    for (const follower of followers) view.followers.delete(follower);
    notifyEach(followers, (follower) => follower.lost(), this.#deps.logger);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.time.after(askEveryMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  async #today(): Promise<string> {
    const at = this.#deps.time.elapsed();
    if (at >= this.#day.until) {
      const date = businessDay(await this.#deps.store.now(), this.#business.timezone);
      this.#day = { date, until: at + dayLastsMs };
    }
    return this.#day.date;
  }

  #view(part: LinePart | null): View {
    this.#lastUsed = this.#deps.time.elapsed();
    const name = queryOfPart(part);
    const view = this.#views.get(name) ?? {
      ...{ part, followers: new Set(), current: null, begun: 0, shown: 0 },
    };
    this.#views.delete(name);
    this.#views.set(name, view);
    // A long line has many parts. Of those without followers, only the most recent few are kept.
    const unfollowed = [...this.#views].filter(([, { followers }]) => followers.size === 0);
    for (const [old] of unfollowed.slice(0, -mostUnfollowed)) this.#views.delete(old);
    return view;
  }

  #followed(): View[] {
    return [...this.#views.values()].filter(({ followers }) => followers.size > 0);
  }
}

/** How long a board without viewers is kept, to bridge the time from a page to its stream. */
const forgetAfterMs = 30_000;

/** The boards of all businesses that have viewers in this process. */
export class LiveBoards {
  readonly #deps: WatchDeps;
  readonly #watches = new Map<string, BoardWatch>();

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** The watch of a business, with its current settings. */
  of(business: Business): BoardWatch {
    const now = this.#deps.time.elapsed();
    for (const [id, { idleSince }] of this.#watches) {
      if (idleSince !== null && now - idleSince > forgetAfterMs) this.#watches.delete(id);
    }
    const watch = this.#watches.get(business.id) ?? new BoardWatch(this.#deps, business);
    this.#watches.set(business.id, watch);
    watch.business = business;
    return watch;
  }

  /** Reports a change in a business, so that viewers see it at once. */
  hurry({ id }: Business): void {
    this.#watches.get(id)?.hurry();
  }
}
