/** How many turns of the event loop nothing may move until all counts as being at rest. */
const stillTurns = 10;

/** How long, in real time, something may take to come to rest. */
const patienceMs = 20_000;

/** Counts what moves, so that somebody can wait until nothing does. */
export class Moves {
  #count = 0;
  #wake = () => {};

  /** Something has moved. */
  readonly note = (): void => {
    this.#count++;
    this.#wake();
  };

  /** Resolves when `isStill` holds and nothing has moved for some turns of the event loop. */
  async rest(isStill: () => boolean): Promise<void> {
    const deadline = performance.now() + patienceMs;
    let seen = -1;
    for (let turns = 0; turns < stillTurns; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isStill() && this.#count === seen) continue;
      turns = -1;
      seen = this.#count;
      if (!isStill()) await this.#nextMove();
      if (performance.now() > deadline) throw new Error("an instance does not come to rest");
    }
  }

  /** The next move, or some milliseconds later. */
  #nextMove(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 5);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
