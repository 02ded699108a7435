import assert from "node:assert";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QueueApiError } from "../../sdk/src/errors.js";
import { type FetchPage, Pages } from "../../sdk/src/pagination.js";
import { anEntry, queueId } from "./support/examples.js";
import { turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

function answered<Item>(page: { items: Item[]; nextCursor: string | null }) {
  const answer = { envelope: { data: page.items }, response: new Response(), requestId: null };
  return {
    page: { ...page, requestId: null },
    success: { ...answer, attempts: 1, replayed: false },
  };
}

/** A list on a server, in pages. Some pages fail once. */
class ListOnServer {
  readonly asked: (string | null)[] = [];
  readonly #items: readonly number[];
  readonly #size: number;
  readonly #failing: Set<number>;

  constructor(items: readonly number[], size: number, failing: Iterable<number> = []) {
    this.#items = items;
    this.#size = size;
    this.#failing = new Set(failing);
  }

  readonly fetch: FetchPage<number> = async ({ cursor }) => {
    this.asked.push(cursor);
    await Promise.resolve();
    const start = cursor === null ? 0 : Number(cursor);
    if (this.#failing.delete(start / this.#size)) throw new Error(`no page ${start / this.#size}`);
    const end = start + this.#size;
    const nextCursor = end < this.#items.length ? String(end) : null;
    return answered({ items: this.#items.slice(start, end), nextCursor });
  };

  get pages(): Pages<number> {
    return new Pages(this.fetch);
  }
}

const lists = fc.record({
  items: fc.array(fc.nat(), { maxLength: 40 }),
  size: fc.integer({ min: 1, max: 10 }),
  failing: fc.uniqueArray(fc.nat(10), { maxLength: 4 }),
});

/** All items of an iterator, with a retry after each failure. */
async function drained<Item>(iterator: AsyncIterator<Item, undefined>): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    try {
      const next = await iterator.next();
      if (next.done) return items;
      items.push(next.value);
    } catch {
      // requests the same page again
    }
  }
}

describe("for any list, page size and failing pages", () => {
  test("each page comes once and in order, and the last has no cursor", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async ({ items, size, failing }) => {
        const pages = await drained(new ListOnServer(items, size, failing).pages.pages());
        expect(pages.flatMap((page) => page.items)).toEqual(items);
        expect(pages.map(({ nextCursor }) => nextCursor === null)).toEqual(
          pages.map((_, index) => index === pages.length - 1),
        );
      }),
    );
  });

  test("each item comes once and in order, and only failed pages are requested twice", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async ({ items, size, failing }) => {
        const list = new ListOnServer(items, size, failing);
        expect(await drained(list.pages[Symbol.asyncIterator]())).toEqual(items);
        const count = Math.max(1, Math.ceil(items.length / size));
        const expected = Array.from({ length: count }, (_, page) => {
          const cursor = page === 0 ? null : String(page * size);
          return failing.includes(page) ? [cursor, cursor] : [cursor];
        });
        expect(list.asked).toEqual(expected.flat());
      }),
    );
  });

  test("concurrent next() calls get different items in the order of the calls, and share pages", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 60 }), async ({ items, size }, calls) => {
        const list = new ListOnServer(items, size);
        const iterator = list.pages[Symbol.asyncIterator]();
        const results = await Promise.all(Array.from({ length: calls }, () => iterator.next()));
        const values = results.filter(({ done }) => !done).map(({ value }) => value);
        expect(values).toEqual(items.slice(0, calls));
        expect(new Set(list.asked).size).toBe(list.asked.length);
        expect(list.asked.length).toBeLessThanOrEqual(Math.max(1, Math.ceil(items.length / size)));
      }),
    );
  });

  test("leaving the loop ends the requests", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.nat(40), async ({ items, size }, taken) => {
        fc.pre(taken > 0 && taken < items.length);
        const list = new ListOnServer(items, size);
        const seen: number[] = [];
        for await (const item of list.pages) {
          seen.push(item);
          if (seen.length === taken) break;
        }
        expect(seen).toEqual(items.slice(0, taken));
        expect(list.asked).toHaveLength(Math.ceil(taken / size));
      }),
    );
  });

  test("all() returns the same items, up to its maximum", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.nat(50), async ({ items, size }, max) => {
        expect(await new ListOnServer(items, size).pages.all()).toEqual(items);
        const list = new ListOnServer(items, size);
        expect(await list.pages.all({ max })).toEqual(items.slice(0, max));
        expect(list.asked.length).toBeLessThanOrEqual(Math.ceil(max / size));
      }),
    );
  });
});

describe("an iteration", () => {
  test("continues after an empty page that is not the last", async () => {
    const pages = [
      { items: [], nextCursor: "a" },
      { items: [1], nextCursor: null },
    ];
    const list = new Pages<number>(async () => answered(pages.shift() ?? assert.fail()));
    expect(await list.all()).toEqual([1]);
  });

  test("that is left during a request ends without an error, and aborts the request", async () => {
    let stopped = false;
    const list = new Pages<number>(
      ({ stop }) =>
        new Promise((_resolve, reject) =>
          stop?.addEventListener("abort", () => {
            stopped = true;
            reject(stop.reason);
          }),
        ),
    );
    const iterator = list[Symbol.asyncIterator]();
    const next = iterator.next();
    await turnOfTheLoop();
    await iterator.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(stopped).toBe(true);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test("fails when a cursor repeats, instead of looping forever", async () => {
    const cursors = ["a", "b", "a"];
    let asked = 0;
    const list = new Pages<number>(async () =>
      answered({ items: [asked], nextCursor: cursors[asked++ % 3] ?? null }),
    );
    await expect(list.all()).rejects.toThrow(QueueApiError);
    expect(asked).toBe(3);
  });
});

describe("a list of the client", () => {
  test("sends the query for every page, and has the request id of each", async () => {
    const urls: URL[] = [];
    const cursor = "01K2Q7M8Zb4nT6wXc9RvYd3F";
    const fetch = async (url: string | URL | Request) => {
      urls.push(new URL(String(url)));
      const nextCursor = urls.length === 1 ? cursor : null;
      const headers = { "X-Request-Id": `request-${urls.length}` };
      return Response.json({ data: [anEntry()], nextCursor }, { headers });
    };
    const world = new World({ baseUrl: "http://queue.example", fetch });
    const query = { status: "WAITING", date: "2026-11-21", limit: 1 };
    const pages = await drained(world.api.entries.list(queueId, query).pages());
    expect(pages.map(({ requestId }) => requestId)).toEqual(["request-1", "request-2"]);
    expect(urls.map(({ search }) => search)).toEqual([
      "?status=WAITING&date=2026-11-21&limit=1",
      `?status=WAITING&date=2026-11-21&limit=1&cursor=${cursor}`,
    ]);
  });

  test("read by all() has pages of 100, unless the query or the maximum says otherwise", async () => {
    const limits: (string | null)[] = [];
    const fetch = async (url: string) => {
      limits.push(new URL(url).searchParams.get("limit"));
      return Response.json({ data: [], nextCursor: null });
    };
    const { api } = new World({ baseUrl: "http://queue.example", fetch });
    await api.entries.list(queueId).all();
    await api.entries.list(queueId).all({ max: 3 });
    await api.entries.list(queueId, { limit: 20 }).all();
    for await (const _ of api.entries.list(queueId));
    expect(limits).toEqual(["100", "3", "20", null]);
  });
});

describe("an awaited list", () => {
  test("returns its first page, which leads to the others", async () => {
    const server = new ListOnServer([1, 2, 3, 4, 5], 2);
    const list = server.pages;
    const first = await list;
    expect(first).toMatchObject({ items: [1, 2], nextCursor: "2", requestId: null });
    expect(first.hasNextPage()).toBe(true);
    const second = await first.nextPage();
    const third = await second.nextPage();
    expect([second.items, third.items]).toEqual([[3, 4], [5]]);
    expect(third.hasNextPage()).toBe(false);
    await expect(third.nextPage()).rejects.toThrow("There is no next page");
    expect(await list).toBe(first);
    expect(server.asked).toEqual([null, "2", "4"]);
  });

  test("gives a page that can be cloned and compared, without functions", async () => {
    const page = await new ListOnServer([1, 2, 3], 2).pages;
    const plain = { items: [1, 2], nextCursor: "2", requestId: null };
    expect(structuredClone(page)).toEqual(plain);
    expect(Object.entries(page)).toEqual(Object.entries(plain));
  });

  test("can still be iterated from that page, without another request for it", async () => {
    const server = new ListOnServer([1, 2, 3, 4, 5], 2);
    const list = server.pages;
    expect(await drained((await list)[Symbol.asyncIterator]())).toEqual([1, 2, 3, 4, 5]);
    const second = await (await list).nextPage();
    expect(await drained(second[Symbol.asyncIterator]())).toEqual([3, 4, 5]);
    expect(server.asked).toEqual([null, "2", "4", "2", "4"]);
  });

  test("has the response of its first page, without another request", async () => {
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      const headers = { "X-Request-Id": `request-${asked}` };
      return Response.json({ data: [anEntry()], nextCursor: null }, { headers });
    };
    const { api } = new World({ baseUrl: "http://queue.example", fetch });
    const list = api.entries.list(queueId);
    let ended = 0;
    const page = await list.finally(() => {
      ended += 1;
    });
    const { data, response, requestId, replayed } = await list.withResponse();
    expect(data).toBe(page);
    expect(data.items).toEqual([anEntry()]);
    expect([response.status, requestId, replayed]).toEqual([200, "request-1", false]);
    expect([asked, ended]).toEqual([1, 1]);
  });

  test("sends no request before it is awaited, and fails with the error of its page", async () => {
    const server = new ListOnServer([1], 2, [0]);
    const list = server.pages;
    expect(server.asked).toEqual([]);
    await expect(list).rejects.toThrow("no page 0");
    expect(await list.catch(() => "caught")).toBe("caught");
    expect(server.asked).toEqual([null]);
  });
});
