import { type me, type queue, routes } from "@queue-api/contract";
import { QueueApi } from "@queue-api/sdk";
import { type AnswerRoute, mockQueueApi } from "@queue-api/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import { caller, customer } from "./caller.js";

let mock: ReturnType<typeof mockQueueApi>;
let api: QueueApi;
beforeEach(() => {
  mock = mockQueueApi();
  api = new QueueApi({ baseUrl: mock.baseUrl, apiKey: mock.key("office"), fetch: mock.fetch });
});
const create = (idempotencyKey?: string) => caller(mock).create(idempotencyKey);

const creation = "POST /v1/queues/:queueId/entries";
const id = "01K2Q7M8Xa1bC3dEf5GhJk7M";
/** The routes that need a key. */
const keyed = Object.values(routes)
  .flatMap((noun) => Object.values(noun))
  .filter(({ metadata }) => metadata.access !== "public");

describe("a fixed answer", () => {
  it.each(keyed)("of $method $path has the shape and the headers of the service", async (route) => {
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
    mock.answers.next(creation, { tokenNumber: 7, position: 42 });
    mock.answers.next("GET /v1/entries/:entryId", { status: "IN_SERVICE" });
    mock.answers.next("GET /v1/queues/:queueId", { counts: { waiting: 40 } });
    const created = await api.entries.create(mock.ids.queue("front"), customer);
    expect(created).toMatchObject({ token: "A7", position: 42, customer });
    expect(await api.entries.get(id)).toMatchObject({ id, status: "IN_SERVICE", position: null });
    const date = "2027-01-31";
    const counts = { waiting: 40, inService: 1 };
    expect(await api.queues.get(id, { date })).toMatchObject({ date, counts });
    mock.answers.next("GET /v1/appointments");
    expect(await api.appointments.list({ date }).all()).toMatchObject([{ date }]);
    mock.answers.next("GET /v1/queues/:queueId", { date: "2027-02-01" });
    expect(await api.queues.get(id, { date })).toMatchObject({ date: "2027-02-01" });
  });

  it("may have words that the API may add later, for the default branch of a caller", async () => {
    mock.answers.next("GET /v1/entries/:entryId", { status: "ON_HOLD" });
    mock.answers.next("GET /v1/appointments/:appointmentId", { status: "RESCHEDULED" });
    mock.answers.next("GET /v1/me", { key: { scopes: ["queue:read", "reports:read"] } });
    const later = { status: "ON_HOLD", position: null, predictedWaitMinutes: null };
    expect(await api.entries.get(id)).toMatchObject(later);
    expect((await api.appointments.get(id)).status).toBe("RESCHEDULED");
    expect((await api.me.get()).key.scopes).toEqual(["queue:read", "reports:read"]);
  });

  it("of a list has distinct items, and pages", async () => {
    const entries = "GET /v1/queues/:queueId/entries";
    const nextCursor = "c".repeat(24);
    mock.answers.next(entries, [{}, {}, {}], { nextCursor });
    mock.answers.clear();
    mock.answers.next(entries, [{}, {}], { nextCursor });
    mock.answers.next(entries, [{ customer: { name: "Customer 3" } }]);
    const all = await api.entries.list(id).all();
    expect(all.map(({ token, customer }) => `${token} ${customer.name}`)).toEqual([
      "A1 Customer 1",
      "A2 Customer 1",
      "A1 Customer 3",
    ]);
    expect(all.map((one) => one.id.slice(-4))).toEqual(["0000", "0001", "0002"]);
    mock.answers.next(entries, [{ token: "Z99" }]);
    expect(await api.entries.list(id).all()).toMatchObject([{ tokenNumber: 99 }]);
    mock.answers.next("GET /v1/queues", [{}, {}, { id }]);
    const queues = await api.queues.list();
    expect(new Set(queues.map((one) => one.id)).size).toBe(3);
    expect(queues[2]?.id).toBe(id);
    mock.answers.next("GET /v1/services", []);
    expect(await api.services.list()).toEqual([]);
  });

  it("of a creation has its headers, and changes nothing", async () => {
    mock = mockQueueApi({ baseUrl: "https://clinic.example/queue" });
    mock.answers.next(creation, { id });
    mock.answers.next(creation, {}, { replay: true });
    const first = await create("key-0001");
    const second = await create("key-0001");
    const third = await create("key-0001");
    const location = `https://clinic.example/queue/v1/entries/${id}`;
    expect(first.headers.get("Location")).toBe(location);
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
      positions.push((await api.entries.create(mock.ids.queue("front"), customer)).position);
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
    const next = () => mock.answers.next(...(given as Parameters<typeof mock.answers.next>));
    expect(next).toThrow(RangeError);
    expect(next).toThrow(message);
    expect(mock.answers.pending).toBe(0);
  });
});
