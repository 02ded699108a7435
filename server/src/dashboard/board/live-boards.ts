import type { Business } from "../../rules/records.js";
import type { LinePart } from "../../store/port/boards.js";
import { BoardWatch, type WatchDeps } from "./board-watch.js";
import type { Showing, Shown } from "./showing.js";

/** How long a board that nobody looks at is remembered: from a page to the opening of its stream. */
const forgetAfterMs = 30_000;

/** The boards of all businesses that somebody looks at through this process. */
export class LiveBoards {
  readonly #deps: WatchDeps;
  readonly #watches = new Map<string, BoardWatch>();

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** The board as it is now. `part`: what is shown of one queue's line instead of its first people. */
  read(business: Business, part: LinePart | null): Promise<Shown> {
    this.#forgetIdle();
    return this.#watch(business).read(part);
  }

  /** What is shown of the board now, to be followed. */
  showing(business: Business, part: LinePart | null): Promise<Showing> {
    return this.#watch(business).showing(part);
  }

  /** Something of a business changed just now: whoever looks shall see it at once. */
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
