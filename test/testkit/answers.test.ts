import {
  appointment,
  entry,
  entryStatuses,
  entryWithPosition,
  me,
  queue,
  queueSummary,
  routes,
  service,
} from "@queue-api/contract";
import { QueueApi } from "@queue-api/sdk";
import { type AnswerRoute, fakes, mockQueueApi, type QueueApiMock } from "@queue-api/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import { caller, customer } from "./caller.js";

let mock: ReturnType<typeof mockQueueApi>;
beforeEach(() => {
  mock = mockQueueApi();
});
const create = (idempotencyKey?: string) => caller(mock).create(idempotencyKey);

const creation = "POST /v1/queues/:queueId/entries";
const id = "01K2Q7M8Xa1bC3dEf5GhJk7M";
const client = (mock: QueueApiMock) =>
  new QueueApi({ baseUrl: mock.baseUrl, apiKey: mock.key("office"), fetch: mock.fetch });

/** The routes that need a key. */
const keyed = Object.values(routes)
  .flatMap((noun) => Object.values(noun))
  .filter(({ metadata }) => metadata.access !== "public");

describe("a fixed answer", () => {
  it.each(keyed)("of $method $path has the shape and the headers of the service", async (route) => {
    const mock = mockQueueApi();
    mock.answers.next(`${route.method} ${route.path}` as AnswerRoute);
    const answer = await mock.fetch(mock.baseUrl + route.path.replace(/:\w+/, id), {
      method: route.method,
      headers: {
        Authorization: `Bearer ${mock.key("office")}`,
        "Content-Type": "application/json",
      },
      ...(route === routes.entries.create && { body: JSON.stringify(customer) }),
    });
    const schemas: Record<string, typeof me | typeof queue> = { ...(route.responses as object) };
    expect(answer.ok).toBe(true);
    expect(schemas[answer.status]?.safeParse(await answer.json())).toMatchObject({ success: true });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "api-version": "v1",
      "ratelimit-remaining": "999999",
      "x-request-id": expect.any(String),
    });
  });

  it("has the given fields, and others that are consistent with them and with the request", async () => {
    const api = client(mock);
    mock.answers.next(creation, { tokenNumber: 7, position: 42 });
    mock.answers.next("GET /v1/entries/:entryId", { status: "IN_SERVICE" });
    mock.answers.next("GET /v1/queues/:queueId", { counts: { waiting: 40 } });
    expect(await api.entries.create(mock.ids.queue("front"), customer)).toMatchObject({
      token: "A7",
      position: 42,
      customer,
    });
    expect(await api.entries.get(id)).toMatchObject({ id, status: "IN_SERVICE", position: null });
    expect((await api.queues.get(id)).counts).toMatchObject({ waiting: 40, inService: 1 });
  });

  it("may have words that the API may add later, for the default branch of a caller", async () => {
    const api = client(mock);
    mock.answers.next("GET /v1/entries/:entryId", { status: "ON_HOLD" });
    mock.answers.next("GET /v1/appointments/:appointmentId", { status: "RESCHEDULED" });
    mock.answers.next("GET /v1/me", { key: { scopes: ["queue:read", "reports:read"] } });
    expect(await api.entries.get(id)).toMatchObject({
      status: "ON_HOLD",
      position: null,
      predictedWaitMinutes: null,
    });
    expect((await api.appointments.get(id)).status).toBe("RESCHEDULED");
    expect((await api.me.get()).key.scopes).toEqual(["queue:read", "reports:read"]);
  });

  it("of a list has distinct items, and pages", async () => {
    const entries = "GET /v1/queues/:queueId/entries";
    mock.answers.next(entries, [{}, {}], { nextCursor: "c".repeat(24) });
    mock.answers.next(entries, [{ customer: { name: "Customer 3" } }]);
    const all = await client(mock).entries.list(id).all();
    expect(all.map(({ token, customer }) => `${token} ${customer.name}`)).toEqual([
      "A1 Customer 1",
      "A2 Customer 1",
      "A1 Customer 3",
    ]);
    mock.answers.next(entries, [{ token: "Z99" }]);
    expect(await client(mock).entries.list(id).all()).toMatchObject([{ tokenNumber: 99 }]);
    mock.answers.next("GET /v1/queues", [{}, {}, { id }]);
    const queues = await client(mock).queues.list();
    expect(new Set(queues.map((one) => one.id)).size).toBe(3);
    expect(queues[2]?.id).toBe(id);
    mock.answers.next("GET /v1/services", []);
    expect(await client(mock).services.list()).toEqual([]);
  });

  it("of a creation has its headers, and changes nothing", async () => {
    mock.answers.next(creation, { id });
    mock.answers.next(creation, {}, { replay: true });
    const first = await create("key-0001");
    const second = await create("key-0001");
    const third = await create("key-0001");
    expect(first.headers.get("Location")).toBe(`https://queue.example/v1/entries/${id}`);
    const replays = [first, second, third].map(({ headers }) => headers.get("Idempotent-Replay"));
    expect(replays).toEqual([null, "true", null]);
    expect(await third.json()).toMatchObject({ data: { token: "A5" } });
  });

  it("is given as often as asked, in order, to the requests that the service accepts", async () => {
    mock.answers.next(creation, { position: 1 }, { times: 2 });
    mock.faults.next(creation, "reset-before");
    await expect(create()).rejects.toThrow(TypeError);
    expect((await caller(mock, mock.key("screen")).create()).status).toBe(403);
    expect(mock.answers.pending).toBe(2);
    const positions = [];
    for (let i = 0; i < 3; i++) {
      const answer = await create();
      positions.push(((await answer.json()) as { data: { position: number } }).data.position);
    }
    expect(positions).toEqual([1, 1, 3]);
    mock.answers.next("GET /v1/me");
    mock.answers.clear();
    expect(mock.answers.pending).toBe(0);
  });

  it.each<[string, unknown[], string]>([
    ["a route without a key", ["GET /v1"], "route must be one of GET /v1/me, "],
    ["an unknown field", ["GET /v1/me", { nme: 1 }], "no such field: nme; the fields are business"],
    ["a nested one", [creation, { customer: { age: 7 } }], "no such field: age"],
    ["a wrong value", [creation, { position: "first" }], "position must be"],
    ["null", ["GET /v1/me", null], "the fields must be an object"],
    ["a list for one object", ["GET /v1/queues/:queueId", []], "the fields must be an object"],
    ["null for a creation", [creation, null], "the fields must be an object"],
    ["null for a list", ["GET /v1/queues", null], "the fields must be a list"],
    ["null in a list", ["GET /v1/queues/:queueId/entries", [null]], "the fields must be an object"],
    ["one object for a list", ["GET /v1/queues", {}], "the fields must be a list"],
    [
      "an unknown option",
      [creation, {}, { tmes: 2 }],
      "no such option: tmes; the options are times",
    ],
    ["another route's option", [creation, {}, { nextCursor: null }], "no such option: nextCursor"],
    ["a wrong number", [creation, {}, { times: 0 }], "times must be a whole number not below 1"],
    ["a wrong flag", [creation, {}, { replay: 1 }], "replay must be a boolean"],
    ["a wrong cursor", ["GET /v1/appointments", [], { nextCursor: 5 }], "nextCursor must be"],
    [
      "a text that is no cursor",
      ["GET /v1/appointments", [], { nextCursor: "page-2" }],
      "20 to 32",
    ],
  ])("is refused at once for %s", (_what, given, message) => {
    const { answers } = mockQueueApi();
    const next = () => answers.next(...(given as Parameters<typeof answers.next>));
    expect(next).toThrow(RangeError);
    expect(next).toThrow(message);
    expect(answers.pending).toBe(0);
  });
});

describe("the fakes", () => {
  const kinds = { entry, entryWithPosition, queue, queueSummary, service, appointment, me };

  it.each(Object.entries(kinds))("%s is valid, and new each time", (name, schema) => {
    const fake = fakes[name as keyof typeof kinds];
    expect(schema.safeParse(fake())).toMatchObject({ success: true });
    expect(fake()).toEqual(fake());
    expect(fake()).not.toBe(fake());
  });

  it.each(entryStatuses)("of an entry that is %s have the fields of its status", (status) => {
    const made = fakes.entryWithPosition({ status });
    expect({
      started: made.startedAt !== null,
      completed: made.completedAt !== null,
      canceled: made.canceledAt !== null,
      waits: made.predictedWaitMinutes !== null && made.position !== null,
    }).toEqual({
      started: status === "IN_SERVICE" || status === "COMPLETED",
      completed: status === "COMPLETED",
      canceled: status === "CANCELED",
      waits: status === "WAITING",
    });
  });

  it.each([
    [{ startedAt: "2027-01-01T00:00:00Z" }, "IN_SERVICE"],
    [{ completedAt: "2027-01-01T00:00:00Z" }, "COMPLETED"],
    [{ canceledAt: "2027-01-01T00:00:00Z" }, "CANCELED"],
    [{ startedAt: null, canceledAt: null }, "WAITING"],
    [{ status: "NO_SHOW", startedAt: "2027-01-01T00:00:00Z" }, "NO_SHOW"],
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
    {},
    { issuedAt: "2027-01-01T00:00:00.000Z" },
    { issuedAt: "2027-01-01T00:00:00.000Z", completedAt: "2027-01-01T00:05:00.000Z" },
    { startedAt: "2025-01-01T00:00:00Z" },
    { completedAt: "2025-01-01T00:00:00Z" },
  ])("of a completed entry have their times in order, with %j", (given) => {
    const made = fakes.entry({ status: "COMPLETED", ...given });
    const times = [made.issuedAt, made.startedAt, made.completedAt].map((at) =>
      Date.parse(`${at}`),
    );
    expect(made).toMatchObject(given);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it("of a canceled entry have their times in order", () => {
    const [issuedAt, canceledAt] = ["2027-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"];
    for (const given of [{ issuedAt }, { canceledAt }]) {
      const made = fakes.entry({ status: "CANCELED", ...given });
      expect(Date.parse(made.issuedAt)).toBeLessThan(Date.parse(`${made.canceledAt}`));
    }
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
