/** An iterator that is itself iterable, and has no return value. */
export interface Iteration<Item> extends AsyncIterator<Item, undefined> {
  next(): Promise<IteratorResult<Item, undefined>>;
  return(): Promise<IteratorResult<Item, undefined>>;
  [Symbol.asyncIterator](): Iteration<Item>;
}

/**
 * Makes an iteration of generators. After a failure, the next `next()` starts another generator, which continues
 * where the failed one was. Leaving a loop aborts its work at once, even while a `next()` is pending.
 */
export function iteration<Item>(
  start: (stop: AbortSignal) => AsyncGenerator<Item, undefined>,
): Iteration<Item> {
  const stop = new AbortController();
  let generator = start(stop.signal);
  return {
    async next() {
      const current = generator;
      try {
        const result = await current.next();
        const failedBefore = result.done && current !== generator;
        return failedBefore ? await this.next() : result;
      } catch (error) {
        if (stop.signal.aborted) return { done: true, value: undefined };
        if (current === generator) generator = start(stop.signal);
        throw error;
      }
    },
    return() {
      stop.abort();
      return generator.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
