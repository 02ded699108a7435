import { limits } from "@queue-api/contract";
import { type ApiPromise, apiPromise, type Success, type WithResponse } from "./api-promise.js";
import { QueueApiError } from "./errors.js";

/** An iterator that is itself iterable, and has no return value. */
export interface Iteration<Item> extends AsyncIterator<Item, undefined> {
  next(): Promise<IteratorResult<Item, undefined>>;
  return(): Promise<IteratorResult<Item, undefined>>;
  [Symbol.asyncIterator](): Iteration<Item>;
}

/**
 * Makes an iteration of generators. After an error, the next `next()` starts another generator, which continues
 * where the failed one was. Leaving a loop aborts its work at once, even while a `next()` is pending.
 *
 * @param start - Receives what ends the iteration. An error after the end is not thrown.
 */
export function iteration<Item>(
  start: (stop: AbortController) => AsyncGenerator<Item, undefined>,
): Iteration<Item> {
  const stop = new AbortController();
  let generator = start(stop);
  return {
    async next() {
      const current = generator;
      try {
        const result = await current.next();
        const failedBefore = result.done && current !== generator;
        return failedBefore ? await this.next() : result;
      } catch (error) {
        if (stop.signal.aborted) return { done: true, value: undefined };
        if (current === generator) generator = start(stop); // otherwise, the `next()` above has started one
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

/** One page of a list, with access to the next page. Iterate it for its items and those of all later pages. */
export interface Page<Item> extends AsyncIterable<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** The `X-Request-Id` of the response; null if it has none. */
  readonly requestId: string | null;
  [Symbol.asyncIterator](): Iteration<Item>;
  hasNextPage(): boolean;
  /**
   * Fetches the next page.
   *
   * @throws {QueueApiError} This is the last page.
   */
  nextPage(): Promise<Page<Item>>;
}

interface PageRequest {
  /** Null for the first page. */
  readonly cursor: string | null;
  readonly stop?: AbortSignal;
  /** Items per page, unless the query has a `limit`. */
  readonly limit?: number;
}

export type FetchPage = (request: PageRequest) => Promise<Success>;

/**
 * A list that is fetched page by page, on demand. Iterate it for the items, or use {@link Pages.pages} for
 * the pages; each iteration starts from the first page again. Await it for the first page alone.
 *
 * If a page fails, the iterator fails once; the next `next()` requests the same page again, so nothing is
 * skipped. Leaving a loop aborts its requests.
 *
 * @example
 * for await (const entry of api.entries.list(queueId)) console.log(entry.token);
 * @example
 * const page = await api.entries.list(queueId, { limit: 20 });
 * if (page.hasNextPage()) console.log(page.items.length, (await page.nextPage()).items.length);
 */
export class Pages<Item> implements AsyncIterable<Item>, PromiseLike<Page<Item>> {
  readonly #fetch: FetchPage;
  readonly #check: (ofAll: object) => void;
  #first: ApiPromise<Page<Item>> | undefined;

  /**
   * @param check - Refuses wrong options of `all`.
   * @internal
   */
  constructor(fetch: FetchPage, check: (ofAll: object) => void) {
    this.#fetch = fetch;
    this.#check = check;
  }

  [Symbol.asyncIterator](): Iteration<Item> {
    return each<Item, Item>(this.#fetch, itemsOf);
  }

  /** Fetches the first page, once. `await` calls it. */
  // biome-ignore lint/suspicious/noThenProperty: awaiting a list gives its first page
  then<Result = Page<Item>, Failed = never>(
    onPage?: ((page: Page<Item>) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    return this.#firstPage().then(onPage, onError);
  }

  /** Fetches the first page, and handles its error. */
  catch<Failed>(
    onError: (error: unknown) => Failed | PromiseLike<Failed>,
  ): Promise<Page<Item> | Failed> {
    return this.#firstPage().catch(onError);
  }

  /** Fetches the first page, and calls a function when it has come or failed. */
  finally(onEnd: () => void): Promise<Page<Item>> {
    return this.#firstPage().finally(onEnd);
  }

  /** The first page together with its HTTP response. */
  withResponse(): Promise<WithResponse<Page<Item>>> {
    return this.#firstPage().withResponse();
  }

  /** The pages. Read the `items` of each: iterating a page goes on to all later ones. */
  pages(): Iteration<Page<Item>> {
    return each<Item, Page<Item>>(this.#fetch, (page) => [page]);
  }

  /**
   * The items in one array. Reads pages of 100, unless the query has a `limit`.
   *
   * @param options.max - Stop after that many items. Default: no limit.
   * @throws {InvalidOptionError} `max` is not a valid number of items.
   */
  async all(options: { readonly max?: number | undefined } = {}): Promise<Item[]> {
    this.#check(options);
    const { max = Number.POSITIVE_INFINITY } = options;
    const all: Item[] = [];
    if (max === 0) return all;
    const limit = Math.min(max, limits.pageSize.max);
    for await (const item of each<Item, Item>(this.#fetch, itemsOf, { limit })) {
      all.push(item);
      if (all.length >= max) break;
    }
    return all;
  }

  #firstPage(): ApiPromise<Page<Item>> {
    this.#first ??= fetchPage(this.#fetch, null);
    return this.#first;
  }
}

function fetchPage<Item>(fetch: FetchPage, cursor: string | null): ApiPromise<Page<Item>> {
  return apiPromise(fetch({ cursor }), (success) => new FetchedPage<Item>(success, fetch));
}

class FetchedPage<Item> implements Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  readonly requestId: string | null;
  readonly #fetch: FetchPage;

  constructor({ envelope, requestId }: Success, fetch: FetchPage) {
    this.items = envelope.data as Item[];
    this.nextCursor = envelope.nextCursor ?? null;
    this.requestId = requestId;
    this.#fetch = fetch;
  }

  hasNextPage(): boolean {
    return this.nextCursor !== null;
  }

  async nextPage(): Promise<Page<Item>> {
    if (this.nextCursor !== null) return await fetchPage(this.#fetch, this.nextCursor);
    throw new QueueApiError("There is no next page: call hasNextPage() first.");
  }

  [Symbol.asyncIterator](): Iteration<Item> {
    return each<Item, Item>(this.#fetch, itemsOf, { known: this });
  }
}

function itemsOf<Item>({ items }: Page<Item>): readonly Item[] {
  return items;
}

/** Iterates over parts of each page, from a `known` one on. A page that fails is fetched again by the next generator. */
function each<Item, Part>(
  fetch: FetchPage,
  parts: (page: Page<Item>) => readonly Part[],
  { known, limit }: Pick<PageRequest, "limit"> & { readonly known?: Page<Item> } = {},
): Iteration<Part> {
  const cursors = new Set<string>();
  let unread = known;
  let cursor: string | null | undefined; // of the next page; null after the last
  return iteration(async function* ({ signal: stop }) {
    while (cursor !== null) {
      const request = { cursor: cursor ?? null, stop, ...(limit && { limit }) };
      const page: Page<Item> = unread ?? new FetchedPage<Item>(await fetch(request), fetch);
      unread = undefined;
      cursor = page.nextCursor;
      if (cursor !== null && cursors.has(cursor)) {
        cursor = null;
        throw new QueueApiError(
          "The service gave the same cursor twice: the list would never end.",
        );
      }
      if (cursor !== null) cursors.add(cursor);
      yield* parts(page);
    }
    return undefined;
  });
}
