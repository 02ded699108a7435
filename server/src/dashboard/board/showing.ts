import type { Logger } from "pino";
import type { Board, LinePart } from "../../store/port/boards.js";
import { notifyEach } from "../notify-each.js";
import { patch, type Snapshot } from "./snapshot.js";

/** How many earlier snapshots are kept, for browsers that show one of them. */
const mostEarlier = 4;

/** A board as read from the store, and its rendered form. */
export interface Shown {
  readonly board: Board;
  readonly date: string;
  readonly snapshot: Snapshot;
}

/** A follower of a board. */
export interface Follower {
  /** The board has changed. */
  changed(): void;
  /** The board can no longer be followed, because the store does not answer. */
  lost(): void;
}

/** One view of a business's board: its current snapshot and its followers. */
export class Showing {
  readonly #followers = new Set<Follower>();
  readonly #onFollowed: () => void;
  readonly #logger: Pick<Logger, "error">;
  #current: Shown | null = null;
  #earlier: Snapshot[] = [];
  /** Patches to the current snapshot, by the earlier snapshot; made once for all browsers that show it. */
  #patches = new Map<Snapshot | null, string>();
  #begun = 0;
  #shown = 0;

  /**
   * `part`: the part of one queue's line to show instead of its beginning.
   * `onFollowed`: called for each new follower.
   */
  constructor(
    readonly part: LinePart | null,
    onFollowed: () => void,
    logger: Pick<Logger, "error">,
  ) {
    this.#onFollowed = onFollowed;
    this.#logger = logger;
  }

  get current(): Shown | null {
    return this.#current;
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Notifies a follower of each change until the returned function is called or the board is lost. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    this.#onFollowed();
    return () => this.#followers.delete(follower);
  }

  /** Reports to all followers that the board is lost. */
  lose(): void {
    this.#lose([...this.#followers]);
  }

  /** Starts a read. Call the returned function with its result; several reads may end in any order. */
  begin(): (shown: Shown) => void {
    const turn = ++this.#begun;
    return (shown) => {
      if (turn < this.#shown) return; // a later read ended earlier
      this.#shown = turn;
      this.#show(shown);
    };
  }

  #show(shown: Shown): void {
    const before = this.#current?.snapshot;
    this.#current = shown;
    if (before?.id === shown.snapshot.id) return;
    this.#patches.clear();
    if (before) this.#earlier = [before, ...this.#earlier].slice(0, mostEarlier);
    this.#lose(notifyEach(this.#followers, (follower) => follower.changed(), this.#logger));
  }

  #lose(followers: readonly Follower[]): void {
    for (const follower of followers) this.#followers.delete(follower);
    notifyEach(followers, (follower) => follower.lost(), this.#logger);
  }

  /** The patch from a snapshot to the current one; from null, the whole snapshot. */
  patchFrom(from: Snapshot | null): string {
    if (!this.#current) throw new Error("nothing is shown yet");
    const known = this.#patches.get(from) ?? patch(from, this.#current.snapshot);
    this.#patches.set(from, known);
    return known;
  }

  /** The snapshot with this id, if it is still kept. */
  find(id: string): Snapshot | null {
    const known = [this.#current?.snapshot, ...this.#earlier];
    return known.find((snapshot) => snapshot?.id === id) ?? null;
  }
}
