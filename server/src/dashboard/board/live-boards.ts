import type { Business } from "../../rules/records.js";
import type { LinePart } from "../../store/port/boards.js";
import { BoardWatch, type WatchDeps } from "./board-watch.js";
import type { Showing, Shown } from "./showing.js";

/** How long a board without viewers is kept, to bridge the time from a page to its stream. */
const forgetAfterMs = 30_000;

/** The boards of all businesses that have viewers in this process. */
export class LiveBoards {
  readonly #deps: WatchDeps;
  readonly #watches = new Map<string, BoardWatch>();

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** The current board. `part`: the part of one queue's line to show instead of its beginning. */
  read(business: Business, part: LinePart | null): Promise<Shown> {
    this.#forgetIdle();
    return this.#watch(business).read(part);
  }

  /** A current showing of the board, to follow. */
  showing(business: Business, part: LinePart | null): Promise<Showing> {
    return this.#watch(business).showing(part);
  }

  /** Reports a change in a business, so that viewers see it at once. */
  hurry({ id }: Business): void {
    this.#watches.get(id)?.hurry();
  }

  #watch(business: Business): BoardWatch {
    const watch = this.#watches.get(business.id) ?? new BoardWatch(this.#deps, business);
    this.#watches.set(business.id, watch);
    watch.business = business;
    return watch;
  }

  #forgetIdle(): void {
    const now = this.#deps.time.elapsed();
    for (const [id, { idleSince }] of this.#watches) {
      if (idleSince !== null && now - idleSince > forgetAfterMs) this.#watches.delete(id);
    }
  }
}
