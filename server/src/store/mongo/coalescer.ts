interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends items of one key, and returns a result for each in order. An `Error` as a result rejects only that
 * item, and a promise delays only that item.
 */
export type SendTogether<Item, Result> = (
  key: string,
  items: readonly Item[],
) => Promise<readonly (Result | Error | Promise<Result>)[]>;

/** The maximum number of items in one command. */
const mostTogether = 100;

/** The maximum number of concurrent commands for requests of all businesses. */
export const lanes = 2;

/** How long items wait for a command in flight before another command is sent. */
const slowMs = 50;

/** The waiting items of one key, and its number of commands in flight. */
interface Line<Item, Result> {
  readonly queue: Waiting<Item, Result>[];
  underWay: number;
  /** Runs while items wait that may be sent before a slow command ends. */
  timer: NodeJS.Timeout | null;
}

interface CoalescerOptions {
  /**
   * The maximum number of concurrent commands for one key. More than one is for a key that covers many
   * documents: items that have waited for 50 ms are sent even if a command hangs. Fast commands are sent
   * one at a time, because larger commands cost less for each item. Default: 1.
   */
  readonly lanes?: number;
}

/**
 * Combines the items of one key that arrive while a command for it is in flight into one command. A single
 * item is sent at once. Under load, many changes of one document become few, and do not queue for it in the
 * database.
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
      const line = this.#lines.get(key) ?? { queue: [], underWay: 0, timer: null };
      this.#lines.set(key, line);
      line.queue.push({ item, resolve, reject });
      if (line.underWay === 0) void this.#drain(key, line);
      else if (line.underWay < this.#lanes) this.#drainIfSlow(key, line);
    });
  }

  #drainIfSlow(key: string, line: Line<Item, Result>): void {
    line.timer ??= setTimeout(() => {
      line.timer = null;
      void this.#drain(key, line);
    }, slowMs);
  }

  async #drain(key: string, line: Line<Item, Result>): Promise<void> {
    line.underWay++;
    await Promise.resolve(); // items of the same turn are sent together
    while (line.queue.length > 0) {
      clearTimeout(line.timer ?? undefined);
      line.timer = null;
      const together = line.queue.splice(0, mostTogether);
      if (line.queue.length > 0 && line.underWay < this.#lanes) this.#drainIfSlow(key, line);
      try {
        const results = await this.#send(
          key,
          together.map(({ item }) => item),
        );
        together.forEach(({ resolve, reject }, place) => {
          const result = results[place];
          if (place >= results.length) reject(new Error("an item was left without an answer"));
          else if (result instanceof Error) reject(result);
          else resolve(result as Result | Promise<Result>);
        });
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    line.underWay--;
    if (line.underWay === 0) this.#lines.delete(key);
  }
}

/** A {@link SendTogether} that reads once and returns the result for every item. */
export async function onceForAll<Result>(
  _key: string,
  reads: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  const [read] = reads;
  if (!read) return [];
  const result = await read();
  return reads.map(() => result);
}
