interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends items of one key, and answers each in its place; with an `Error`, that item alone fails. */
export type SendTogether<Item, Result> = (
  key: string,
  items: readonly Item[],
) => Promise<readonly (Result | Error)[]>;

/** How many items one command carries at most. */
const mostTogether = 100;

/** How many commands may be under way at once that carry what all businesses ask for. */
export const lanes = 2;

/** What comes for one key, and how many commands for it are under way. */
interface Line<Item, Result> {
  readonly queue: Waiting<Item, Result>[];
  underWay: number;
}

interface CoalescerOptions {
  /**
   * How many commands for one key may be under way at once. More than one is for a key that stands for many
   * documents: what waits for one command must not wait for another that hangs. Default: 1.
   */
  readonly lanes?: number;
}

/**
 * Sends what comes for one key while a command for it is under way as one command together. An item that
 * comes alone is sent at once; under load, the many changes of one document become few, and do not
 * queue for it in the database.
 */
export class Coalescer<Item, Result> {
  readonly #send: SendTogether<Item, Result>;
  readonly #lanes: number;
  readonly #lines = new Map<string, Line<Item, Result>>();

  constructor(send: SendTogether<Item, Result>, { lanes = 1 }: CoalescerOptions = {}) {
    this.#send = send;
    this.#lanes = lanes;
  }

  run(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(key) ?? { queue: [], underWay: 0 };
      this.#lines.set(key, line);
      line.queue.push({ item, resolve, reject });
      if (line.underWay < this.#lanes) void this.#drain(key, line);
    });
  }

  async #drain(key: string, line: Line<Item, Result>): Promise<void> {
    line.underWay++;
    await Promise.resolve(); // those of the same turn go together
    while (line.queue.length > 0) {
      const together = line.queue.splice(0, mostTogether);
      try {
        const results = await this.#send(
          key,
          together.map(({ item }) => item),
        );
        together.forEach(({ resolve, reject }, place) => {
          const result = results[place];
          if (place >= results.length) reject(new Error("an item was left without an answer"));
          else if (result instanceof Error) reject(result);
          else resolve(result as Result);
        });
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    line.underWay--;
    if (line.underWay === 0) this.#lines.delete(key);
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
