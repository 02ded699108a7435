/** The bounds of a {@link Semaphore}. */
export interface SemaphoreOptions {
  /** How many tasks run at the same time. */
  readonly concurrency: number;
  /** How many tasks wait for a free slot. Further tasks are refused. */
  readonly maxWaiting: number;
}

/** Thrown when the waiting list of a {@link Semaphore} is full. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

/** Limits how many expensive tasks run at the same time. Tasks start in the order in which they arrive. */
export class Semaphore {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor({ concurrency, maxWaiting }: SemaphoreOptions) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether no task runs or waits. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * Runs a task as soon as a slot is free. A task whose signal is aborted while it waits leaves the waiting
   * list, and its promise rejects with the signal's reason.
   *
   * @throws QueueFullError
   */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    await this.#acquire(signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  async #acquire(signal: AbortSignal | undefined): Promise<void> {
    if (this.#running < this.#concurrency) {
      this.#running++;
      return;
    }
    if (this.#waiting.size >= this.#maxWaiting) throw new QueueFullError();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(start);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      this.#waiting.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Passes the slot to the first waiting task, so that a new task cannot overtake it. */
  #release(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else {
      this.#running--;
    }
  }
}
