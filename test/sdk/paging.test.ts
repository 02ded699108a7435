import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { QueueApiError } from "../../sdk/src/index.js";
import { anEntry, anError, giving, queueId } from "./support/examples.js";
import { turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

/** The cursor of the page that starts at an item. */
const cursorAt = (start: number) => String(start).padStart(20, "0");

/** A list on a server, in pages. Its items are entries with the numbers from 0. Pages in `failing` fail once. */
function listOnServer(count: number, size: number, failing: readonly number[] = []) {
  /** The number of the first item of each page that was requested. */
  const asked: number[] = [];
  const left = new Set(failing);
  const fetch = async (url: string) => {
    const start = Number(new URL(url).searchParams.get("cursor") ?? 0);
    asked.push(start);
    if (left.delete(start / size)) {
      return Response.json(anError("internal_error"), { status: 500 });
    }
    const end = Math.min(start + size, count);
    const data = numbers(start, end).map((tokenNumber) => anEntry({ tokenNumber }));
    const nextCursor = end < count ? cursorAt(end) : null;
    const headers = { "X-Request-Id": `request-${asked.length}` };
    return Response.json({ data, nextCursor }, { headers });
  };
  const { api } = new World({ fetch, maxRetries: 0, pacing: false });
  return { asked, entries: api.entries.list(queueId) };
}

type ListOnServer = ReturnType<typeof listOnServer>;

function numbers(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}

const maxFailures = 4;

const lists = fc.record({
  count: fc.nat(40),
  size: fc.integer({ min: 1, max: 10 }),
  failing: fc.uniqueArray(fc.nat(10), { maxLength: maxFailures }),
});

/** All items of an iterator, with a retry after the failure of each page. */
async function drained<Item>(iterator: AsyncIterator<Item, undefined>): Promise<Item[]> {
  const items: Item[] = [];
  let failures = 0;
  for (;;) {
    try {
      const next = await iterator.next();
      if (next.done) return items;
      items.push(next.value);
    } catch (error) {
      failures += 1; // the next call requests the same page again
      if (failures > maxFailures) throw error;
    }
  }
}

const numbersOf = (entries: readonly { readonly tokenNumber: number }[]) =>
  entries.map(({ tokenNumber }) => tokenNumber);

describe("for any list, page size and failing pages", () => {
  const runs = { numRuns: 20 };

  test.each([
    ["item", (list: ListOnServer) => drained(list.entries[Symbol.asyncIterator]())],
    [
      "page",
      async (list: ListOnServer) => {
        const pages = await drained(list.entries.pages());
        const hasNext = pages.map((_, index) => index < pages.length - 1);
        expect(pages.map((page) => page.hasNextPage())).toEqual(hasNext);
        return pages.flatMap(({ items }) => items);
      },
    ],
  ] as const)(
    "each %s comes once and in order, and only failed pages are requested twice",
    async (_, read) => {
      await fc.assert(
        fc.asyncProperty(lists, async ({ count, size, failing }) => {
          const list = listOnServer(count, size, failing);
          expect(numbersOf(await read(list))).toEqual(numbers(0, count));
          const pages = numbers(0, Math.max(1, Math.ceil(count / size)));
          const asked = pages.flatMap((page) => (failing.includes(page) ? [page, page] : [page]));
          expect(list.asked).toEqual(asked.map((page) => page * size));
        }),
        runs,
      );
    },
  );

  test("all() returns the same items, up to its maximum, and then leaves its loop, which ends the requests", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.nat(50), async ({ count, size }, max) => {
        const list = listOnServer(count, size);
        const entries = await list.entries.all({ max });
        expect(numbersOf(entries)).toEqual(numbers(0, Math.min(count, max)));
        expect(list.asked.length).toBeLessThanOrEqual(Math.ceil(max / size));
      }),
      { ...runs, examples: [[{ count: 3, size: 2, failing: [] }, 0]] },
    );
  });
});

describe("an iteration", () => {
  test("goes on with a page that failed, also for next() calls that wait for it", async () => {
    const iterator = listOnServer(3, 2, [0]).entries[Symbol.asyncIterator]();
    const calls = await Promise.allSettled([iterator.next(), iterator.next(), iterator.next()]);
    expect(calls).toMatchObject([
      { reason: { name: "ServerError" } },
      { value: { value: { tokenNumber: 0 } } },
      { value: { value: { tokenNumber: 1 } } },
    ]);
  });

  test("loses no item of a page that failed twice while next() calls waited for it", async () => {
    const data = numbers(0, 3).map((tokenNumber) => anEntry({ tokenNumber }));
    const fetch = giving({ data, nextCursor: null });
    for (const status of [500, 500]) {
      fetch.mockResolvedValueOnce(Response.json(anError("internal_error"), { status }));
    }
    const { api } = new World({ fetch, maxRetries: 0, pacing: false });
    const iterator = api.entries.list(queueId)[Symbol.asyncIterator]();
    const calls = Array.from({ length: 4 }, () => iterator.next());
    expect(await Promise.allSettled(calls)).toMatchObject([
      { reason: { name: "ServerError" } },
      { reason: { name: "ServerError" } },
      { value: { value: { tokenNumber: 0 } } },
      { value: { value: { tokenNumber: 1 } } },
    ]);
    expect(await iterator.next()).toMatchObject({ value: { tokenNumber: 2 } });
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  test("continues after an empty page that is not the last", async () => {
    const fetch = giving({ data: [anEntry()], nextCursor: null });
    fetch.mockResolvedValueOnce(Response.json({ data: [], nextCursor: cursorAt(1) }));
    expect(await new World({ fetch }).api.entries.list(queueId).all()).toEqual([anEntry()]);
  });

  test("that is left during a request ends without an error, and aborts the request", async () => {
    const aborted = vi.fn();
    const fetch = (_url: string, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<Response>((_resolve, reject) => {
        signal.addEventListener("abort", aborted);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const list = new World({ fetch }).api.entries.list(queueId);
    const iterator = list[Symbol.asyncIterator]();
    const next = iterator.next();
    await turnOfTheLoop();
    await iterator.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(aborted).toHaveBeenCalledOnce();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test("fails when a cursor repeats, instead of looping forever", async () => {
    const fetch = giving({ data: [], nextCursor: null });
    for (const at of [0, 1, 0]) {
      const circle = { data: [anEntry()], nextCursor: cursorAt(at) };
      fetch.mockResolvedValueOnce(Response.json(circle));
    }
    const list = new World({ fetch }).api.entries.list(queueId);
    const iterator = list[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    await expect(iterator.next()).rejects.toThrow(QueueApiError);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(fetch).toHaveBeenCalledTimes(3);
  });
});

describe("a list", () => {
  test("sends its query as it was when the list was made for every page, and all() reads pages of 100 unless the query or its maximum says otherwise", async () => {
    const searches: string[] = [];
    const fetch = async (url: string) => {
      searches.push(new URL(url).search);
      const nextCursor = searches.length === 1 ? cursorAt(1) : null;
      return Response.json({ data: [anEntry()], nextCursor });
    };
    const { entries } = new World({ fetch }).api;
    const query = { status: "WAITING", date: "2026-11-21", limit: 1 };
    const list = entries.list(queueId, query);
    query.date = "2026-11-22";
    await list.all();
    await entries.list(queueId).all();
    await entries.list(queueId).all({ max: 3 });
    for await (const _ of entries.list(queueId));
    const asked = "?limit=1&status=WAITING&date=2026-11-21";
    const first = [asked, `${asked}&cursor=${cursorAt(1)}`];
    expect(searches).toEqual([...first, ...["?limit=100", "?limit=3", ""]]);
  });

  test("that is awaited returns its first page, which leads to the others", async () => {
    const server = listOnServer(5, 2);
    const list = server.entries;
    const first = await list;
    expect(first).toMatchObject({ nextCursor: cursorAt(2), requestId: "request-1" });
    expect(first.hasNextPage()).toBe(true);
    const second = await first.nextPage();
    const third = await second.nextPage();
    expect([first, second, third].map(({ items }) => numbersOf(items))).toEqual([
      [0, 1],
      [2, 3],
      [4],
    ]);
    expect(third.hasNextPage()).toBe(false);
    await expect(third.nextPage()).rejects.toThrow("There is no next page");
    expect(await list).toBe(first);
    expect(server.asked).toEqual([0, 2, 4]);
  });

  test("gives a page that can be cloned and compared, without functions", async () => {
    const page = await listOnServer(1, 2).entries;
    const plain = {
      items: [anEntry({ tokenNumber: 0 })],
      nextCursor: null,
      requestId: "request-1",
    };
    expect(structuredClone(page)).toEqual(plain);
    expect(Object.entries(page)).toEqual(Object.entries(plain));
  });

  test("that was awaited can be iterated from that page, without another request for it", async () => {
    const server = listOnServer(5, 2);
    const first = await server.entries;
    expect(numbersOf(await drained(first[Symbol.asyncIterator]()))).toEqual([0, 1, 2, 3, 4]);
    const second = await first.nextPage();
    expect(numbersOf(await drained(second[Symbol.asyncIterator]()))).toEqual([2, 3, 4]);
    expect(server.asked).toEqual([0, 2, 4, 2, 4]);
  });

  test("has the response of its first page, without another request", async () => {
    const server = listOnServer(1, 2);
    const list = server.entries;
    const ended = vi.fn();
    const page = await list.finally(ended);
    const { data, response, requestId, replayed } = await list.withResponse();
    expect(data).toBe(page);
    expect([response.status, requestId, replayed]).toEqual([200, "request-1", false]);
    expect(server.asked).toEqual([0]);
    expect(ended).toHaveBeenCalledOnce();
  });

  test("sends no request before it is awaited, and fails with the error of its page", async () => {
    const server = listOnServer(1, 2, [0]);
    const list = server.entries;
    expect(server.asked).toEqual([]);
    await expect(list).rejects.toMatchObject({ name: "ServerError" });
    expect(await list.catch(() => "caught")).toBe("caught");
    expect(server.asked).toEqual([0]);
  });
});
