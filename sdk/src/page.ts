import { limits } from "@queue-api/contract";
import { type WithResponse, withResponse } from "./api-promise.js";
import { checkOptions } from "./arguments.js";
import { optionNames } from "./check-options.js";
import { QueueApiError } from "./errors.js";
import { type Iteration, iteration } from "./iteration.js";

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** The `X-Request-Id` of the answer; null if it has none. */
  readonly requestId: string | null;
}

/** A page of a list with access to the next page. Iterate it for its items and those of all later pages. */
export interface ListPage<Item> extends Page<Item>, AsyncIterable<Item> {
  [Symbol.asyncIterator](): Iteration<Item>;
  hasNextPage(): boolean;
  /**
   * Fetches the next page.
   *
   * @throws {QueueApiError} This is the last page.
   */
  nextPage(): Promise<ListPage<Item>>;
}

/** Which page to fetch. */
interface PageRequest {
  /** Null for the first page. */
  readonly cursor: string | null;
  /** Aborts the request. */
  readonly stop?: AbortSignal;
  /** Items per page, unless the query has a `limit`. */
  readonly limit?: number;
}

/** Fetches a page. */
export type FetchPage<Item> = (
  request: PageRequest,
) => Promise<{ readonly page: Page<Item>; readonly response: Response }>;

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
export class Pages<Item> implements AsyncIterable<Item>, PromiseLike<ListPage<Item>> {
  readonly #fetch: FetchPage<Item>;
  readonly #name: string;
  #first: ReturnType<typeof listPage<Item>> | undefined;

  /** @internal */
  constructor(fetch: FetchPage<Item>, name = "list") {
    this.#fetch = fetch;
    this.#name = name;
  }

  [Symbol.asyncIterator](): Iteration<Item> {
    return items(this.#fetch);
  }

  /** Fetches the first page, once. `await` calls it. */
  // biome-ignore lint/suspicious/noThenProperty: awaiting a list gives its first page
  then<Result = ListPage<Item>, Failed = never>(
    onPage?: ((page: ListPage<Item>) => Result | PromiseLike<Result>) | null,
    onFailure?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    return this.#firstPage().then(onPage, onFailure);
  }

  /** Fetches the first page, and handles its failure. */
  catch<Failed>(
    onFailure: (error: unknown) => Failed | PromiseLike<Failed>,
  ): Promise<ListPage<Item> | Failed> {
    return this.#firstPage().catch(onFailure);
  }

  /** Fetches the first page, and calls a function when it has come or failed. */
  finally(onEnd: () => void): Promise<ListPage<Item>> {
    return this.#firstPage().finally(onEnd);
  }

  /** The first page together with its HTTP response. */
  async withResponse(): Promise<WithResponse<ListPage<Item>>> {
    this.#first ??= listPage(this.#fetch, null);
    const { page, response } = await this.#first;
    return withResponse(page, { response, requestId: page.requestId });
  }

  /** The pages, each with its items, its `nextCursor` and its `requestId`. */
  pages(): Iteration<Page<Item>> {
    return pages(this.#fetch);
  }

  /**
   * The items in one array. Reads pages of 100, unless the query has a `limit`.
   *
   * @param options.max - Stop after that many items. Default: no limit.
   * @throws {InvalidOptionError} `max` is not a valid number of items.
   */
  async all(options: { readonly max?: number } = {}): Promise<Item[]> {
    checkOptions(options, allOptionNames, { title: `${this.#name}().all` });
    const { max = Number.POSITIVE_INFINITY } = options;
    const all: Item[] = [];
    if (!(max > 0)) return all;
    for await (const page of pages(this.#fetch, { limit: Math.min(max, limits.pageSize.max) })) {
      all.push(...page.items.slice(0, max - all.length));
      if (all.length >= max) break;
    }
    return all;
  }

  async #firstPage(): Promise<ListPage<Item>> {
    this.#first ??= listPage(this.#fetch, null);
    return (await this.#first).page;
  }
}

const allOptionNames = optionNames<{ readonly max?: number }>({ max: true });

/** Fetches the page at a cursor, and adds access to the next page. */
async function listPage<Item>(
  fetch: FetchPage<Item>,
  cursor: string | null,
): Promise<{ readonly page: ListPage<Item>; readonly response: Response }> {
  const { page: known, response } = await fetch({ cursor });
  const { nextCursor } = known;
  const page = {
    ...known,
    hasNextPage: () => nextCursor !== null,
    nextPage: async () => {
      if (nextCursor !== null) return (await listPage(fetch, nextCursor)).page;
      throw new QueueApiError("There is no next page: ask hasNextPage() before.");
    },
    [Symbol.asyncIterator]: () => items(fetch, { known }),
  };
  return { page, response };
}

/** How much an iteration reads at a time, and its first page, if that is already fetched. */
interface Walk<Item> extends Pick<PageRequest, "limit"> {
  readonly known?: Page<Item>;
}

function items<Item>(fetch: FetchPage<Item>, walk: Walk<Item> = {}): Iteration<Item> {
  return each(walker(fetch, walk), (page) => page.items);
}

function pages<Item>(fetch: FetchPage<Item>, walk: Walk<Item> = {}): Iteration<Page<Item>> {
  return each(walker(fetch, walk), (page) => [page]);
}

function each<Item, Part>(
  next: ReturnType<typeof walker<Item>>,
  parts: (page: Page<Item>) => readonly Part[],
): Iteration<Part> {
  return iteration(async function* (stop) {
    for (let page = await next(stop); page; page = await next(stop)) yield* parts(page);
    return undefined;
  });
}

/** Fetches one page after the other; null after the last. A page that fails is fetched again at the next call. */
function walker<Item>(fetch: FetchPage<Item>, { known, limit }: Walk<Item>) {
  const cursors = new Set<string>();
  let unread = known;
  let cursor: string | null = null;
  let ended = false;
  return async (stop: AbortSignal): Promise<Page<Item> | null> => {
    if (ended) return null;
    const page: Page<Item> =
      unread ?? (await fetch({ cursor, stop, ...(limit && { limit }) })).page;
    unread = undefined;
    cursor = page.nextCursor;
    ended = cursor === null || cursors.has(cursor);
    if (cursor !== null && ended) {
      throw new QueueApiError("The service gave the same cursor twice: the list would never end.");
    }
    if (cursor !== null) cursors.add(cursor);
    return page;
  };
}
