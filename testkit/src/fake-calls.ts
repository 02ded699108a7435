import { checkItems, checkOptions, ofType, orNull, wholeNumber } from "./check-options.js";

/** Facts about a faked call. */
export interface FakeFacts {
  /** `X-Request-Id` of the response; null if it has none. Default null. */
  readonly requestId: string | null;
  /** Whether a creation is the stored result of an earlier call. Default false. */
  readonly replayed: boolean;
  /** How many requests the call sent. Default 1. */
  readonly attempts: number;
}

/** What a method of the SDK that sends one request returns. */
export interface FakePromise<Data> extends Promise<Data> {
  /** The body of the response has been read; see `data`. */
  withResponse(): Promise<FakeFacts & { readonly data: Data; readonly response: Response }>;
}

/** The options of a faked call. `status` is that of its response. Default 200. */
export type FakePromiseOptions = {
  readonly [Name in keyof FakeFacts | "status"]?:
    | (FakeFacts & { status: number })[Name]
    | undefined;
};

// Function values, because TypeScript writes out their types. A module that exports `fakes` can then have declarations.

export const fakePromise = <Data>(
  data: Data,
  options: FakePromiseOptions = {},
): FakePromise<Data> => {
  checkOptions(options, {
    status: wholeNumber(200, 299),
    requestId: orNull(ofType("string")),
    replayed: ofType("boolean"),
    attempts: wholeNumber(1),
  });
  const { status = 200, requestId = null, replayed = false, attempts = 1 } = options;
  const headers = requestId === null ? {} : { "X-Request-Id": requestId };
  const response = new Response(null, { status, headers });
  const withResponse = async () => ({ data, response, requestId, replayed, attempts });
  return Object.assign(Promise.resolve(data), { withResponse });
};

/** An iterator that is itself iterable, as a list or a watch of the SDK gives it. */
export interface FakeIteration<Item> extends AsyncIterator<Item, undefined> {
  next(): Promise<IteratorResult<Item, undefined>>;
  return(): Promise<IteratorResult<Item, undefined>>;
  [Symbol.asyncIterator](): FakeIteration<Item>;
}

export const fakeIteration = <Item>(items: readonly Item[]): FakeIteration<Item> => {
  checkItems(items);
  const iterate = async function* () {
    yield* items;
  };
  return iterate() as AsyncIterator<Item> as FakeIteration<Item>;
};

export const fakeFailure = <Call extends object = FakePromise<never>>(
  error: Error,
): FakePromise<never> & Call => {
  const failure = Promise.reject<never>(error);
  failure.catch(() => {}); // a test can make it long before the call that awaits it
  const fail = () => failure;
  const iteration: FakeIteration<never> = {
    next: fail,
    return: async () => ({ done: true, value: undefined }),
    [Symbol.asyncIterator]: () => iteration,
  };
  const ofList = { all: fail, pages: () => iteration };
  const made: unknown = Object.assign(failure, iteration, ofList, { withResponse: fail });
  return made as FakePromise<never> & Call;
};

/** One page of a faked list. Iterate it for its items and those of all later pages. */
export class FakePage<Item> implements AsyncIterable<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly requestId: string | null = null;
  readonly #later: readonly Item[];

  /** @internal */
  constructor(items: readonly Item[], size: number) {
    this.items = items.slice(0, size);
    this.#later = items.slice(size);
    this.nextCursor = this.#later.length > 0 ? `${this.#later.length}`.padStart(24, "0") : null;
  }

  hasNextPage(): boolean {
    return this.nextCursor !== null;
  }

  /** Rejects with RangeError on the last page. */
  async nextPage(): Promise<FakePage<Item>> {
    if (!this.hasNextPage()) throw new RangeError("the list has no next page");
    return new FakePage(this.#later, this.items.length);
  }

  [Symbol.asyncIterator](): FakeIteration<Item> {
    return fakeIteration([...this.items, ...this.#later]);
  }
}

/** What a method of the SDK that lists pages returns. */
export interface FakeList<Item> extends FakePromise<FakePage<Item>>, AsyncIterable<Item> {
  [Symbol.asyncIterator](): FakeIteration<Item>;
  pages(): FakeIteration<FakePage<Item>>;
  all(options?: { readonly max?: number | undefined }): Promise<Item[]>;
}

export const fakeList = <Item, List extends AsyncIterable<unknown> = FakeList<Item>>(
  items: readonly (Item & (List extends AsyncIterable<infer Listed> ? Listed : never))[],
  options: { readonly pageSize?: number | undefined } = {},
): FakeList<Item> & List => {
  checkItems(items);
  checkOptions(options, { pageSize: wholeNumber(1) });
  const { pageSize = Math.max(1, items.length) } = options;
  const pages: FakePage<Item>[] = [];
  for (let at = 0; at === 0 || at < items.length; at += pageSize) {
    pages.push(new FakePage(items.slice(at), pageSize));
  }
  return Object.assign(fakePromise(new FakePage(items, pageSize)), {
    [Symbol.asyncIterator]: () => fakeIteration(items),
    pages: () => fakeIteration(pages),
    all: async ({ max = items.length } = {}) => items.slice(0, Math.max(0, max)),
  }) as FakeList<Item> as FakeList<Item> & List;
};
