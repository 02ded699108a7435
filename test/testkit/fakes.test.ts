import { setImmediate } from "node:timers/promises";
import {
  appointment,
  entry,
  entryWithPosition,
  me,
  queue,
  queueSummary,
  service,
} from "@queue-api/contract";
import { type EntryChange, NotFoundError, QueueApi } from "@queue-api/sdk";
import { fakes } from "@queue-api/testkit";
import { describe, expect, it, vi } from "vitest";

/** A client that fails when it sends anything. */
const client = () =>
  new QueueApi({ baseUrl: "https://queue.example", apiKey: "svc_live_x_y", fetch: unexpected });
const unexpected = () => Promise.reject(new Error("a request was sent"));

const entries = [1, 2, 3].map((tokenNumber) => fakes.entry({ tokenNumber }));
const tokens = (some: readonly { readonly token: string }[]) => some.map(({ token }) => token);

describe("a fake of a call", () => {
  it("gives the data, and the response on request", async () => {
    const { entries, queues } = client();
    const entry = fakes.entryWithPosition({ position: 1 });
    const options = { requestId: "one", replayed: true, attempts: 2 };
    vi.spyOn(entries, "create").mockReturnValue(fakes.promise(entry, { ...options, status: 201 }));
    vi.spyOn(queues, "list").mockReturnValue(fakes.promise([fakes.queue()]));

    const call = entries.create("queue", { name: "Customer 1", phone: "919800000001" });
    expect(await call).toBe(entry);
    const { data, response, ...facts } = await call.withResponse();
    expect([data, facts]).toEqual([entry, options]);
    expect([response.status, response.headers.get("X-Request-Id")]).toEqual([201, "one"]);
    expect(await queues.list().withResponse()).toMatchObject({ replayed: false, attempts: 1 });
  });

  it("fails with an error, with the response too, however late it is awaited", async () => {
    const { entries } = client();
    const error = new NotFoundError("no such entry", { status: 404, code: "entry_not_found" });
    vi.spyOn(entries, "get").mockReturnValue(fakes.failure(error));
    await setImmediate();
    await expect(entries.get("entry")).rejects.toBe(error);
    await expect(entries.get("entry").withResponse()).rejects.toBe(error);
  });

  it("fails with an error in every use of a list, and as a watch", async () => {
    const { entries } = client();
    const error = new NotFoundError("no such queue", { status: 404 });
    vi.spyOn(entries, "list").mockReturnValue(fakes.failure(error));
    vi.spyOn(entries, "watch").mockReturnValue(fakes.failure(error));
    const iterate = async (items: AsyncIterable<unknown>) => {
      for await (const item of items) expect(item).toBeUndefined();
    };
    const list = entries.list("queue");
    for (const use of [list, list.withResponse(), list.all(), iterate(list), iterate(list.pages())])
      await expect(use).rejects.toBe(error);
    const watch = entries.watch("queue");
    await expect(iterate(watch)).rejects.toBe(error);
    expect(await watch.return()).toEqual({ done: true, value: undefined });
  });

  it.each([
    [{ replayd: true }, "no such option: replayd; the options are status, requestId, "],
    [{ attempts: 0 }, "attempts must be a whole number not below 1"],
  ])("refuses the options %j", (options, message) => {
    const make = () => fakes.promise(1, options as object);
    expect(make).toThrow(RangeError);
    expect(make).toThrow(message);
  });
});

describe("a fake of a list", () => {
  const listing = (options?: Parameters<typeof fakes.list>[1]) => {
    const api = client();
    vi.spyOn(api.entries, "list").mockReturnValue(fakes.list(entries, options));
    return api.entries.list("queue");
  };

  it("gives its items, one by one and all at once", async () => {
    const list = listing();
    const read = [];
    for await (const { token } of list) read.push(token);
    expect(read).toEqual(["A1", "A2", "A3"]);
    expect(tokens(await list.all())).toEqual(read);
    expect(tokens(await list.all({ max: 2 }))).toEqual(["A1", "A2"]);
  });

  it("is one page, or pages of the asked size", async () => {
    const whole = await listing();
    expect([tokens(whole.items), whole.nextCursor, whole.hasNextPage()]).toEqual([
      ["A1", "A2", "A3"],
      null,
      false,
    ]);
    const list = listing({ pageSize: 2 });
    const page = await list;
    expect([tokens(page.items), page.hasNextPage()]).toEqual([["A1", "A2"], true]);
    const next = await page.nextPage();
    expect([tokens(next.items), next.hasNextPage()]).toEqual([["A3"], false]);
    await expect(next.nextPage()).rejects.toThrow(RangeError);
    const read = [];
    for await (const { token } of page) read.push(token);
    expect(read).toEqual(["A1", "A2", "A3"]);
    const sizes = [];
    for await (const { items } of list.pages()) sizes.push(items.length);
    expect(sizes).toEqual([2, 1]);
  });

  it("gives the response of its first page, and is a promise of that page", async () => {
    const list = listing({ pageSize: 2 });
    const { data, response } = await list.withResponse();
    expect([tokens(data.items), response.status]).toEqual([["A1", "A2"], 200]);
    const ended = vi.fn();
    expect(await list.catch(() => null).then((page) => page?.items.length)).toBe(2);
    await list.finally(ended);
    expect(ended).toHaveBeenCalledOnce();
  });

  it("can be empty", async () => {
    const api = client();
    vi.spyOn(api.appointments, "list").mockReturnValue(fakes.list([]));
    const page = await api.appointments.list();
    expect([page.items, page.nextCursor]).toEqual([[], null]);
    expect(await api.appointments.list().all()).toEqual([]);
  });
});

describe("a fake of a watch", () => {
  it("reports its changes in order, and ends", async () => {
    const api = client();
    const change: EntryChange = { type: "removed", entry: fakes.entry() };
    vi.spyOn(api.entries, "watch").mockReturnValue(
      fakes.watch([{ type: "added", entry: fakes.entry() }, change]),
    );
    const types = [];
    for await (const { type } of api.entries.watch("queue")) types.push(type);
    expect(types).toEqual(["added", "removed"]);
  });

  it("ends when its loop is left", async () => {
    const watch = fakes.watch([1, 2]);
    expect(await watch.next()).toEqual({ done: false, value: 1 });
    expect(await watch.return()).toEqual({ done: true, value: undefined });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });
});

describe("the fakes", () => {
  const [earlier, later] = ["2025-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"];
  const kinds = { entry, entryWithPosition, queue, queueSummary, service, appointment, me };

  it.each(Object.entries(kinds))("%s is valid, and new each time", (name, schema) => {
    const fake = fakes[name as keyof typeof kinds];
    expect(schema.safeParse(fake())).toMatchObject({ success: true });
    expect(fake()).toEqual(fake());
    expect(fake()).not.toBe(fake());
  });

  it.each([
    ["WAITING", ["position", "predictedWaitMinutes"]],
    ["IN_SERVICE", ["startedAt"]],
    ["COMPLETED", ["startedAt", "completedAt"]],
    ["CANCELED", ["canceledAt"]],
    ["NO_SHOW", []],
  ])("of an entry that is %s have the fields %j, and null in the others", (status, filled) => {
    const made = fakes.entryWithPosition({ status });
    const times = ["startedAt", "completedAt", "canceledAt"] as const;
    const fields = ["position", "predictedWaitMinutes", ...times] as const;
    expect(fields.filter((field) => made[field] !== null)).toEqual(filled);
  });

  it.each([
    [{ startedAt: later }, "IN_SERVICE"],
    [{ completedAt: later }, "COMPLETED"],
    [{ canceledAt: later }, "CANCELED"],
    [{ startedAt: null, canceledAt: null }, "WAITING"],
    [{ status: "NO_SHOW", startedAt: later }, "NO_SHOW"],
  ])("of an entry with %j have the status %s", (given, status) => {
    expect(fakes.entry(given)).toMatchObject({ ...given, status });
    const { position } = fakes.entryWithPosition(given);
    expect(position === null).toBe(status !== "WAITING");
  });

  it("keep the given fields, also in nested objects", () => {
    expect(fakes.entry({ customer: { phone: null } }).customer).toEqual({
      name: "Customer 1",
      phone: null,
    });
    expect(fakes.me({ key: { scopes: [] } }).key).toMatchObject({ name: "Kiosk", scopes: [] });
    expect(fakes.entry({ tokenSeries: "L", tokenNumber: 4 }).token).toBe("L4");
    expect(fakes.entry({ token: "X9" })).toMatchObject({ tokenSeries: "X", tokenNumber: 9 });
    expect(fakes.entry({ token: "VIP" })).toMatchObject({ token: "VIP", tokenSeries: "A" });
    expect(fakes.queueSummary({ counts: { waiting: 0 } }).averageWaitMinutes).toBeNull();
  });

  it.each([
    ["COMPLETED", {}],
    ["COMPLETED", { issuedAt: later }],
    ["COMPLETED", { issuedAt: later, completedAt: "2027-01-01T00:05:00.000Z" }],
    ["COMPLETED", { startedAt: earlier }],
    ["COMPLETED", { completedAt: earlier }],
    ["CANCELED", { issuedAt: later }],
    ["CANCELED", { canceledAt: earlier }],
  ])("of an entry that is %s have their times in order, with %j", (status, given) => {
    const made = fakes.entry({ status, ...given });
    const times = [made.issuedAt, made.startedAt, made.completedAt, made.canceledAt]
      .filter((at) => at !== null)
      .map((at) => Date.parse(at));
    expect(made).toMatchObject(given);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it("refuse what the API does not have", () => {
    for (const nothing of [null, [], "A7"] as never[]) {
      for (const fake of [fakes.entry, fakes.entryWithPosition, fakes.queueSummary, fakes.me]) {
        expect(() => fake(nothing)).toThrow(new RangeError("the fields must be an object"));
      }
    }
    for (const make of [() => fakes.list(null as never), () => fakes.watch(null as never)]) {
      expect(make).toThrow(new RangeError("the items must be a list"));
    }
    expect(() => fakes.entry({ color: "red" } as never)).toThrow("no such field: color");
    expect(() => fakes.entry({ status: 7 as never })).toThrow("status must be");
    expect(() => fakes.entry({ issuedAt: "now", status: "COMPLETED" })).toThrow(/^issuedAt [^;]+$/);
    expect(() => fakes.me({ key: { scopes: "all" as never } })).toThrow("key.scopes must be");
    expect(() => fakes.me({ key: { scopes: [7 as never] } })).toThrow("key.scopes[0] must be");
  });
});
