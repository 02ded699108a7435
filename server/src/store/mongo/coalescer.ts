interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends items of one key, and answers each in its place. */
export type SendTogether<Item, Result> = (
  key: string,
  items: readonly Item[],
) => Promise<readonly Result[]>;

/** How many items one command carries at most. */
const mostTogether = 100;

/**
 * Sends what comes for one key while a command for it is under way as one command together. Whoever
 * comes alone is sent at once; under load, the many changes of one document become few, and do not
 * queue for it in the database.
 */
export class Coalescer<Item, Result> {
  readonly #send: SendTogether<Item, Result>;
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>();

  constructor(send: SendTogether<Item, Result>) {
    this.#send = send;
  }

  run(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(key);
      if (queue) {
        queue.push({ item, resolve, reject });
      } else {
        this.#waiting.set(key, [{ item, resolve, reject }]);
        void this.#drain(key);
      }
    });
  }

  async #drain(key: string): Promise<void> {
    const queue = this.#waiting.get(key) ?? [];
    await Promise.resolve(); // those of the same turn go together
    while (queue.length > 0) {
      const together = queue.splice(0, mostTogether);
      try {
        const results = await this.#send(
          key,
          together.map(({ item }) => item),
        );
        together.forEach(({ resolve, reject }, place) => {
          if (place < results.length) resolve(results[place] as Result);
          else reject(new Error("an item was left without an answer"));
        });
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#waiting.delete(key);
  }
}

/** Reads once for all who ask for the same thing. */
export async function onceForAll<Result>(
  _key: string,
  reads: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  const [read] = reads;
  if (!read) return [];
  const result = await read();
  return reads.map(() => result);
}
