import {
  appointment,
  type ErrorCode,
  entry,
  entryStatuses,
  entryWithPosition,
  errors,
  me,
  queue,
  queueSummary,
  routes,
  service,
} from "@queue-api/contract";
import { ApiError, QueueApi, RateLimitError } from "@queue-api/sdk";
import { fakes, queueApiHandlers } from "@queue-api/sdk/msw";
import { mockQueueApi } from "@queue-api/testkit";
import type { HttpHandler } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it } from "vitest";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const baseUrl = "https://clinic.example/queue";
const key = `svc_live_${"a".repeat(24)}_${"b".repeat(43)}`;
const id = "01K2Q7M8Xa1bC3dEf5GhJk7M";
const api = new QueueApi({ baseUrl, apiKey: key, maxRetries: 0 });
const customer = { name: "Customer 1", phone: "919800000001" };

/** Every operation: its route in the contract, its builder, and a request to it. */
const operations = [
  [routes.me.get, queueApiHandlers.me.get, "/v1/me"],
  [routes.services.list, queueApiHandlers.services.list, "/v1/services"],
  [routes.queues.list, queueApiHandlers.queues.list, "/v1/queues"],
  [routes.queues.get, queueApiHandlers.queues.get, `/v1/queues/${id}`],
  [routes.entries.list, queueApiHandlers.entries.list, `/v1/queues/${id}/entries`],
  [routes.entries.create, queueApiHandlers.entries.create, `/v1/queues/${id}/entries`],
  [routes.entries.get, queueApiHandlers.entries.get, `/v1/entries/${id}`],
  [routes.entries.cancel, queueApiHandlers.entries.cancel, `/v1/entries/${id}/cancel`],
  [routes.appointments.list, queueApiHandlers.appointments.list, "/v1/appointments"],
  [routes.appointments.get, queueApiHandlers.appointments.get, `/v1/appointments/${id}`],
] as const;

interface AnyBuilder {
  (): HttpHandler;
  error(code: ErrorCode): HttpHandler;
}

const cases = operations.map(([route, builder, path]) => ({
  route,
  builder: builder as unknown as AnyBuilder,
  path,
  name: route.metadata.operationId,
}));

/** Names of the headers in the contract, without the server's security headers. */
const contractHeaders = (headers: Headers) =>
  [...headers.keys()].filter((name) =>
    /^(x-request-id|api-version|cache-control|ratelimit-|retry-after|www-auth|location|idempotent|content-type)/.test(
      name,
    ),
  );

describe("the builders", () => {
  it("exist for every operation that needs a key", () => {
    const withApiKey = Object.values(routes)
      .flatMap((noun) => Object.values(noun))
      .filter(({ metadata }) => metadata.access !== "public");
    expect(cases.map(({ route }) => route)).toEqual(withApiKey);
  });

  it.each(cases)("$name returns a response of the contract", async ({ route, builder, path }) => {
    server.use(builder());
    const answer = await fetch(baseUrl + path, { method: route.method });
    const schema = Object.entries(route.responses).find(
      ([status]) => status === `${answer.status}`,
    )?.[1];
    expect(answer.ok).toBe(true);
    expect(schema?.safeParse(await answer.json())).toMatchObject({ success: true });
  });

  it.each(
    cases.flatMap(({ name, route, builder, path }) =>
      route.metadata.errors.map((code) => ({
        name,
        route,
        builder,
        path,
        code: code as ErrorCode,
      })),
    ),
  )("$name refuses with $code as the service does", async ({ route, builder, path, code }) => {
    server.use(builder.error(code));
    const built = await fetch(baseUrl + path, { method: route.method });
    const body = await built.json();
    expect(built.status).toBe(errors[code].status);
    const schema = Object.entries(route.responses).find(
      ([status]) => status === `${built.status}`,
    )?.[1];
    expect(schema?.safeParse(body)).toMatchObject({ success: true });

    const mock = mockQueueApi({ baseUrl });
    mock.faults.next("*", "status", { code });
    const served = await mock.fetch(baseUrl + path, {
      method: route.method,
      headers: {
        Authorization: `Bearer ${mock.key("office")}`,
        "Content-Type": "application/json",
      },
      ...(route === routes.entries.create && { body: JSON.stringify(customer) }),
    });
    const { error } = (await served.json()) as { error: Record<string, unknown> };
    const replaced = {
      requestId: expect.any(String),
      ...(error.details ? { details: expect.any(Array) } : {}),
    };
    expect(body).toEqual({ error: { ...error, ...replaced } });
    expect(contractHeaders(built.headers)).toEqual(contractHeaders(served.headers));
  });

  it("return the headers of a creation and of a replay", async () => {
    const mock = mockQueueApi();
    const create = (idempotencyKey: string) =>
      mock.fetch(`${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${mock.key()}`,
          "Content-Type": "application/json",
          "Idempotency-Key": idempotencyKey,
        },
        body: JSON.stringify(customer),
      });
    for (const replay of [false, true]) {
      server.use(queueApiHandlers.entries.create({}, { replay }));
      const built = await fetch(`${baseUrl}/v1/queues/${id}/entries`, { method: "POST" });
      expect(contractHeaders(built.headers)).toEqual(
        contractHeaders((await create("key-0001")).headers),
      );
      expect(built.headers.get("Location")).toBe(`${baseUrl}/v1/entries/${fakes.entry().id}`);
    }
  });

  it("return the given fields", async () => {
    server.use(queueApiHandlers.entries.create({ position: 1, tokenNumber: 7 }));
    expect(await api.entries.create(id, customer)).toMatchObject({ token: "A7", position: 1 });
  });

  it("return the requested object", async () => {
    server.use(
      queueApiHandlers.entries.get(),
      queueApiHandlers.queues.get({ id: "own".repeat(7) }),
    );
    expect((await api.entries.get(id)).id).toBe(id);
    expect((await api.queues.get(id)).id).toBe("own".repeat(7));
  });

  it("return lists with distinct items, and pages", async () => {
    server.use(
      queueApiHandlers.entries.list([{ customer: { name: "Customer 3" } }]),
      queueApiHandlers.entries.list([{}, {}], { nextCursor: "c".repeat(24), once: true }),
    );
    server.use(queueApiHandlers.entries.list([{}, {}], { nextCursor: "c".repeat(24), once: true }));
    const all = await api.entries.list(id).all();
    expect(all.map(({ token, customer }) => `${token} ${customer.name}`)).toEqual([
      "A1 Customer 1",
      "A2 Customer 1",
      "A1 Customer 3",
    ]);
    server.use(queueApiHandlers.queues.list([{}, {}, { name: "Laboratory" }]));
    const queues = await api.queues.list();
    expect(new Set(queues.map((one) => one.id)).size).toBe(3);
    expect(queues.every((one) => queue.safeParse(one).success)).toBe(true);
  });

  it("return errors that the SDK recognizes", async () => {
    server.use(queueApiHandlers.entries.create.error("rate_limited", { retryAfterSeconds: 7 }));
    const failed = await api.entries.create(id, customer).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RateLimitError);
    expect(failed).toMatchObject({ code: "rate_limited", retryAfterMs: 7_000 });
  });

  it("with once answer only one request", async () => {
    server.use(queueApiHandlers.me.get());
    server.use(queueApiHandlers.me.get.error("api_access_disabled", { once: true }));
    await expect(api.me.get()).rejects.toBeInstanceOf(ApiError);
    expect((await api.me.get()).business.slug).toBe("sunrise");
  });

  it("accept only the errors of an operation", () => {
    expectTypeOf(queueApiHandlers.entries.cancel.error).parameter(0).toExtend<ErrorCode>();
    // @ts-expect-error: queue_paused is not an error of the list of queues
    expect(() => queueApiHandlers.queues.list.error("queue_paused")).toThrow(RangeError);
    // @ts-expect-error: not a field of an entry
    queueApiHandlers.entries.get({ colour: "red" });
  });
});

describe("a builder refuses at once", () => {
  const { me, entries } = queueApiHandlers;

  it.each<[string, string, () => HttpHandler]>([
    [
      "an error that the operation does not have",
      "getEntry has no such error; its errors are invalid_request, request_timeout, ",
      () => entries.get.error("nope" as never),
    ],
    [
      "an unknown option",
      "The option tmes is unknown (known: once).",
      () => me.get({}, { tmes: 3 } as never),
    ],
    [
      "an option of another builder",
      "The option replay is unknown (known: once, nextCursor).",
      () => entries.list([], { replay: true } as never),
    ],
    [
      "an invalid time",
      "The option retryAfterSeconds must be a whole number, 0 or more.",
      () => entries.create.error("rate_limited", { retryAfterSeconds: "x" as never }),
    ],
    [
      "details that are not a list",
      "The option details must be a list.",
      () => entries.create.error("invalid_request", { details: {} as never }),
    ],
    [
      "a flag that is not a boolean",
      "The option once must be true or false.",
      () => me.get({}, { once: 1 as never }),
    ],
    [
      "an invalid cursor",
      "The option nextCursor must be",
      () => entries.list([], { nextCursor: 5 as never }),
    ],
    [
      "options that are not an object",
      "The options must be an object.",
      () => me.get({}, "once" as never),
    ],
  ])("%s", (_name, message, build) => {
    expect(build).toThrow(RangeError);
    expect(build).toThrow(message);
  });
});

describe("the fakes", () => {
  const kinds = { entry, entryWithPosition, queue, queueSummary, service, appointment, me };

  it.each(Object.entries(kinds))("%s is valid", (name, schema) => {
    expect(schema.safeParse(fakes[name as keyof typeof kinds]())).toMatchObject({ success: true });
  });

  it.each(entryStatuses)(
    "an entry that is %s has exactly the timestamps of its status",
    (status) => {
      const made = fakes.entryWithPosition({ status });
      expect(entryWithPosition.safeParse(made).success).toBe(true);
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
    },
  );

  it("keep the given fields, also in nested objects", () => {
    expect(fakes.entry({ customer: { phone: null } }).customer).toEqual({
      name: "Customer 1",
      phone: null,
    });
    expect(fakes.queueSummary({ counts: { waiting: 40 } }).counts).toMatchObject({
      waiting: 40,
      inService: 1,
    });
    expect(fakes.me({ key: { scopes: [] } }).key).toMatchObject({ name: "Kiosk", scopes: [] });
    expect(fakes.entry({ tokenSeries: "L", tokenNumber: 4 }).token).toBe("L4");
    expect(fakes.entry({ token: "X9" }).token).toBe("X9");
  });

  it("are new objects each time", () => {
    expect(fakes.entry()).not.toBe(fakes.entry());
    expect(fakes.entry().customer).not.toBe(fakes.entry().customer);
  });
});
