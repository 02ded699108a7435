import type { Logger } from "pino";
import type { Board, LinePart } from "../../store/port/boards.js";
import { tellEach } from "../tell-each.js";
import { patch, type Snapshot } from "./snapshot.js";

/** How many earlier snapshots are kept, for browsers that show one of them. */
const mostEarlier = 4;

/** A board as it was read, and how it looks. */
export interface Shown {
  readonly board: Board;
  readonly date: string;
  readonly snapshot: Snapshot;
}

/** Whoever follows a board. */
export interface Follower {
  /** There is something new to show. */
  changed(): void;
  /** It cannot be followed any more: the store does not answer. */
  lost(): void;
}

/** One way to look at a business's board: what is shown now, and who follows it. */
export class Showing {
  readonly #followers = new Set<Follower>();
  readonly #onFollowed: () => void;
  readonly #logger: Pick<Logger, "error">;
  #current: Shown | null = null;
  #earlier: Snapshot[] = [];
  /** Ways to the current snapshot, made once for all who are at the same place. */
  #patches = new Map<Snapshot | null, string>();
  #begun = 0;
  #shown = 0;

  /**
   * `part`: what is shown of one queue's line instead of its first people.
   * `onFollowed`: called whenever somebody begins to follow.
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

  /** Tells a follower of each change from now on, until what it returns is called, or it is lost. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    this.#onFollowed();
    return () => this.#followers.delete(follower);
  }

  /** Nobody can follow it any more. */
  lose(): void {
    this.#lose([...this.#followers]);
  }

  /** A reading begins. Call what it returns with its end, of several readings in any order. */
  begin(): (shown: Shown) => void {
    const turn = ++this.#begun;
    return (shown) => {
      if (turn < this.#shown) return; // a later reading ended earlier
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
    this.#lose(tellEach(this.#followers, (follower) => follower.changed(), this.#logger));
  }

  #lose(followers: readonly Follower[]): void {
    for (const follower of followers) this.#followers.delete(follower);
    tellEach(followers, (follower) => follower.lost(), this.#logger);
  }

  /** What turns a snapshot into the current one; from nothing, all of that. */
  patchFrom(from: Snapshot | null): string {
    if (!this.#current) throw new Error("nothing is shown yet");
    const known = this.#patches.get(from) ?? patch(from, this.#current.snapshot);
    this.#patches.set(from, known);
    return known;
  }

  /** The snapshot of this id, if it is not long gone. */
  find(id: string): Snapshot | null {
    const known = [this.#current?.snapshot, ...this.#earlier];
    return known.find((snapshot) => snapshot?.id === id) ?? null;
  }
}
