/** The number of turns of the event loop without activity after which everything counts as idle. */
const stillTurns = 10;

/** The maximum real time to become idle, in milliseconds. */
const patienceMs = 20_000;

/** Counts activity, so that a run can wait until everything is idle. */
export class Moves {
  #count = 0;
  #wake = () => {};

  /** Reports activity. */
  readonly note = (): void => {
    this.#count++;
    this.#wake();
  };

  /** Resolves when `isStill` is true and there was no activity for some turns of the event loop. */
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

  /** Resolves on the next activity, or after some milliseconds. */
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
