/** How many may be at work at once, and how many may wait for them. */
export interface TurnsOptions {
  readonly atOnce: number;
  /** What comes while so many wait is refused. */
  readonly waiting: number;
}

/** Thrown when so many wait for their turn that another one would wait too long. */
export class TooManyWait extends Error {
  override readonly name = "TooManyWait";
}

/** Lets a few do costly work at once, in the order in which they came. */
export class Turns {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor({ atOnce, waiting }: TurnsOptions) {
    this.#atOnce = atOnce;
    this.#mostWaiting = waiting;
  }

  /** Whether nobody is at work, or waits. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * Does work when its turn has come. Whoever is gone by then gives up their place: fails with the
   * signal's reason.
   *
   * @throws TooManyWait
   */
  async take<Result>(work: () => Promise<Result>, gone?: AbortSignal): Promise<Result> {
    gone?.throwIfAborted();
    await this.#turn(gone);
    try {
      return await work();
    } finally {
      this.#handOn();
    }
  }

  async #turn(gone: AbortSignal | undefined): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running++;
      return;
    }
    if (this.#waiting.size >= this.#mostWaiting) throw new TooManyWait();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(come);
        reject(gone?.reason);
      };
      const come = () => {
        gone?.removeEventListener("abort", leave);
        resolve();
      };
      this.#waiting.add(come);
      gone?.addEventListener("abort", leave, { once: true });
    });
  }

  /** A place is handed to whoever waits longest, so that nobody slips in between. */
  #handOn(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else {
      this.#running--;
    }
  }
}
