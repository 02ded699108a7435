import type { ServerResponse } from "node:http";

/**
 * The requests that have begun and are not answered yet. A connection may be gone before its request
 * is through: what the request still does with the store must end before the store is closed.
 */
export class UnderWay {
  readonly #responses = new Set<ServerResponse>();
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#responses.size;
  }

  /** Counts a request until somebody ends its answer, whether or not anybody hears it. */
  begin(res: ServerResponse): void {
    this.#responses.add(res);
    const { end } = res;
    res.end = ((...given: Parameters<typeof end>) => {
      this.#end(res);
      return end.apply(res, given);
    }) as typeof end;
  }

  #end(res: ServerResponse): void {
    this.#responses.delete(res);
    if (this.#responses.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * Resolves when every request that has begun is answered, or when that takes too long: no answer comes
   * from a request that somebody else took over.
   */
  none(limitMs: number): Promise<void> {
    if (this.#responses.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      this.#waiting.push(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }
}
