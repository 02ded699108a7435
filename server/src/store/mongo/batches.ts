import { setImmediate as turnEnd } from "node:timers/promises";

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | PromiseLike<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Handles items together. Returns a result for each, in order. An `Error` rejects only its item, and a promise
 * delays only its item.
 */
type Handle<Item, Result> = (
  items: readonly Item[],
) => Promise<readonly (Result | Error | PromiseLike<Result>)[]>;

/**
 * Handles items of the same name together: those that arrive while others of that name are handled form the
 * next batch. A single item is handled at once.
 */
export class Batches<Item, Result> {
  readonly #handle: Handle<Item, Result>;
  readonly #most: number;
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();

  /** @param most The maximum number of items in one batch. */
  constructor(handle: Handle<Item, Result>, most = 100) {
    this.#handle = handle;
    this.#most = most;
  }

  run(name: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(name);
      if (waiting) {
        waiting.push({ item, resolve, reject });
        return;
      }
      this.#waiting.set(name, [{ item, resolve, reject }]);
      void this.#drain(name);
    });
  }

  async #drain(name: string): Promise<void> {
    await turnEnd(); // items that arrive at once are handled together
    for (let batch = this.#next(name); batch.length > 0; batch = this.#next(name)) {
      try {
        const results = await this.#handle(batch.map(({ item }) => item));
        if (results.length !== batch.length) throw new Error("an item was left without a result");
        batch.forEach(({ resolve, reject }, place) => {
          const result = results[place];
          if (result instanceof Error) reject(result);
          else resolve(result as Result | PromiseLike<Result>);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(name);
  }

  #next(name: string): Waiting<Item, Result>[] {
    return this.#waiting.get(name)?.splice(0, this.#most) ?? [];
  }
}
