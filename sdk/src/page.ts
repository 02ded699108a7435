import { checkArguments } from "./arguments.js";
import { QueueApiError } from "./errors.js";
import { optionNames } from "./option-names.js";

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

/** An iterator that is itself iterable, and has no return value. */
export interface Iteration<Item> extends AsyncIterator<Item, undefined> {
  next(): Promise<IteratorResult<Item, undefined>>;
  return(): Promise<IteratorResult<Item, undefined>>;
  [Symbol.asyncIterator](): Iteration<Item>;
}

/** Fetches the page at a cursor; null fetches the first. */
export type FetchPage<Item> = (cursor: string | null, stop: AbortSignal) => Promise<Page<Item>>;

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
  #first: Promise<ListPage<Item>> | undefined;

  /** @internal */
  constructor(fetch: FetchPage<Item>, name = "list") {
    this.#fetch = fetch;
    this.#name = name;
  }

  [Symbol.asyncIterator](): Iteration<Item> {
    return new ItemIterator(new PageIterator(this.#fetch));
  }

  /** Fetches the first page, once. `await` calls it. */
  // biome-ignore lint/suspicious/noThenProperty: awaiting a list gives its first page
  then<Result = ListPage<Item>, Failed = never>(
    onPage?: ((page: ListPage<Item>) => Result | PromiseLike<Result>) | null,
    onFailure?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    this.#first ??= listPage(this.#fetch, null);
    return this.#first.then(onPage, onFailure);
  }

  /** Fetches the first page, and handles its failure. */
  catch<Failed>(
    onFailure: (error: unknown) => Failed | PromiseLike<Failed>,
  ): Promise<ListPage<Item> | Failed> {
    return this.then(null, onFailure);
  }

  /** The pages, each with its items, its `nextCursor` and its `requestId`. */
  pages(): Iteration<Page<Item>> {
    return new PageIterator(this.#fetch);
  }

  /**
   * The items in one array.
   *
   * @param options.max - Stop after that many items. Default: no limit.
   * @throws {InvalidRequestError} `max` is not a valid number of items.
   */
  async all(options: { readonly max?: number } = {}): Promise<Item[]> {
    checkArguments({}, options, allOptionNames, { name: `${this.#name}().all` });
    const { max = Number.POSITIVE_INFINITY } = options;
    const items: Item[] = [];
    if (!(max > 0)) return items;
    for await (const page of this.pages()) {
      for (const item of page.items) {
        items.push(item);
        if (items.length >= max) return items;
      }
    }
    return items;
  }
}

const allOptionNames = optionNames<{ readonly max?: number }>({ max: true });

const done = { done: true, value: undefined } as const;

/** Fetches the page at a cursor, and adds access to the next page. */
async function listPage<Item>(
  fetch: FetchPage<Item>,
  cursor: string | null,
): Promise<ListPage<Item>> {
  const page = await fetch(cursor, new AbortController().signal);
  const { nextCursor } = page;
  return {
    ...page,
    hasNextPage: () => nextCursor !== null,
    nextPage: async () => {
      if (nextCursor !== null) return listPage(fetch, nextCursor);
      throw new QueueApiError("There is no next page: ask hasNextPage() before.");
    },
    [Symbol.asyncIterator]: () => new ItemIterator(new PageIterator(fetch, page)),
  };
}

/** Fetches one page after the other. Concurrent calls of `next` run one after the other. */
class PageIterator<Item> implements Iteration<Page<Item>> {
  readonly #fetch: FetchPage<Item>;
  readonly #stop = new AbortController();
  readonly #cursors = new Set<string>();
  #cursor: string | null = null;
  #ended = false;
  #last: Promise<unknown> = Promise.resolve();

  #known: Page<Item> | undefined;

  /** @param known - The page to begin with, if it is already fetched. Default: the first page. */
  constructor(fetch: FetchPage<Item>, known?: Page<Item>) {
    this.#fetch = fetch;
    this.#known = known;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Page<Item>, undefined>> {
    const step = () => this.#step();
    const next = this.#last.then(step, step);
    this.#last = next.catch(() => {}); // the caller that requested the page gets its failure
    return next;
  }

  async return(): Promise<typeof done> {
    this.#ended = true;
    this.#stop.abort();
    return done;
  }

  async #step(): Promise<IteratorResult<Page<Item>, undefined>> {
    if (this.#ended) return done;
    try {
      const page = this.#known ?? (await this.#fetch(this.#cursor, this.#stop.signal));
      this.#known = undefined;
      this.#goOnAt(page.nextCursor);
      return { done: false, value: page };
    } catch (error) {
      if (this.#stop.signal.aborted) return done; // the loop was left during the request
      throw error;
    }
  }

  #goOnAt(cursor: string | null): void {
    const repeated = cursor !== null && this.#cursors.has(cursor);
    if (cursor === null || repeated) this.#ended = true;
    else this.#cursors.add(cursor);
    this.#cursor = cursor;
    if (repeated) {
      throw new QueueApiError("The service gave the same cursor twice: the list would never end.");
    }
  }
}

/** Iterates over the items of pages. Concurrent calls of `next` share the page that is being fetched. */
class ItemIterator<Item> implements Iteration<Item> {
  readonly #pages: PageIterator<Item>;
  #items: readonly Item[] = [];
  #index = 0;
  #ended = false;
  #loading: Promise<void> | undefined;
  #waiting = 0;

  constructor(pages: PageIterator<Item>) {
    this.#pages = pages;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const item = this.#waiting === 0 ? this.#take() : undefined;
    return item ? Promise.resolve(item) : this.#wait();
  }

  return(): Promise<typeof done> {
    this.#ended = true;
    this.#items = [];
    return this.#pages.return();
  }

  async #wait(): Promise<IteratorResult<Item, undefined>> {
    this.#waiting += 1;
    try {
      for (;;) {
        const item = this.#take();
        if (item) return item;
        if (this.#ended) return done;
        await this.#load();
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  #take(): IteratorYieldResult<Item> | undefined {
    const items = this.#items;
    if (this.#index >= items.length) return undefined;
    return { done: false, value: items[this.#index++] as Item };
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadPage().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadPage(): Promise<void> {
    const { done, value } = await this.#pages.next();
    if (done) this.#ended = true;
    else if (!this.#ended) {
      this.#items = value.items;
      this.#index = 0;
    }
  }
}
