import { type ErrorResponse, errors, type QueueSummary } from "@queue-api/contract";
import { mockQueueApi } from "@queue-api/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { caller } from "./caller.js";

let mock: ReturnType<typeof mockQueueApi>;
beforeEach(() => {
  mock = mockQueueApi();
});
const get = (path: string) => caller(mock).get(path);
const create = (idempotencyKey?: string) => caller(mock).create(idempotencyKey);

const creation = "POST /v1/queues/:queueId/entries";

/** The number of waiting entries, without the two of the seed. */
async function created(): Promise<number> {
  const answer = await get(`/v1/queues/${mock.ids.queue("front")}`);
  const { data } = (await answer.json()) as { data: QueueSummary };
  return data.counts.waiting - 2;
}

describe("a fault", () => {
  it("applies to the next request of its route, and to no other", async () => {
    mock.faults.next(creation, "status");
    expect((await get("/v1/me")).status).toBe(200);
    expect((await create()).status).toBe(503);
    expect((await create()).status).toBe(201);
  });

  it("applies the requested number of times, in order", async () => {
    mock.faults.next(creation, "status", { status: 502, times: 2 });
    mock.faults.next("*", "html");
    expect(mock.faults.pending).toBe(3);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await create()).status);
    expect(statuses).toEqual([502, 502, 502, 201]);
    expect(mock.requests.map(({ fault }) => fault)).toEqual(["status", "status", "html", null]);
  });

  it("with a code is for a request that the service would accept, and is recorded only there", async () => {
    mock.faults.next("*", "status", { code: "internal_error", times: 2 });
    mock.faults.next("*", "rate-limited");
    const stranger = caller(mock, "svc_live_nobody");
    const answers = [await stranger.get("/v1/me"), await get("/v1/me")];
    answers.push(await get("/v1/nothing"));
    expect(answers.map(({ status }) => status)).toEqual([401, 500, 404]);
    expect(mock.requests.map(({ fault }) => fault)).toEqual([null, "status", null]);
    expect(mock.faults.pending).toBe(0);
  });

  it("must be a known fault on a known route", () => {
    expect(() => mock.faults.next("GET /v1/mee" as "GET /v1/me", "html")).toThrow(/GET \/v1\/me,/);
    expect(() => mock.faults.next("*", "flood" as "html")).toThrow(
      "fault must be one of reset-before, reset-after-commit, status, slow,",
    );
  });

  it.each([
    ["status", { code: "nope" }, "code must be one of invalid_request, "],
    ["status", { status: 42 }, "status must be a whole number from 200 to 599"],
    ["status", { retryAfterSeconds: "x" }, "retryAfterSeconds must be a whole number not below 0"],
    ["status", { status: 503, code: "queue_paused" }, "a code has its own status"],
    ["status", { code: "queue_paused", retryAfterSeconds: 5 }, "queue_paused has no Retry-After"],
    ["html", { code: "queue_paused" }, "no such option: code; the options are times, status"],
    ["html", { times: 0 }, "times must be a whole number not below 1"],
    ["html", { tmes: 3 }, "no such option: tmes; the options are times, status"],
    ["truncated", { bytes: -1 }, "bytes must be a whole number not below 0"],
    ["slow", {}, "by is required"],
    ["slow", { by: "2 hours" }, "a duration must be milliseconds"],
    ["slow", { by: "-2h" }, "a duration must not be below 0"],
    ["slow", { by: "25d" }, "by must be at most 24.8d"],
    ["rate-limited", { retryAfterSeconds: 0.5 }, "retryAfterSeconds must be a whole number"],
    ["in-progress", "1s", "the options must be an object"],
    ["reset-before", { status: 500 }, "no such option: status; the options are times"],
  ] as const)("%s refuses %j when it is requested", (name, options, message) => {
    const next = () => mock.faults.next("*", name, options as never);
    expect(next).toThrow(RangeError);
    expect(next).toThrow(message);
    expect(mock.faults.pending).toBe(0);
  });
});

it.each([
  ["reset-before", 0],
  ["reset-after-commit", 1],
  ["truncated", 1],
] as const)(
  "a fault of the connection, %s, loses the response after %i effects, and its key then has one",
  async (name, effects) => {
    mock.faults.next(creation, name);
    const lost = create("key-0001");
    await expect(lost.then((answer) => answer.json())).rejects.toMatchObject({
      name: "TypeError",
      ...(name !== "truncated" && { cause: { code: "ECONNRESET" } }),
    });
    expect(await created()).toBe(effects);
    const again = await create("key-0001");
    expect(again.headers.get("Idempotent-Replay")).toBe(effects ? "true" : null);
    expect(await created()).toBe(1);
  },
);

it("truncated cuts the body at the given place, by default in the middle", async () => {
  const whole = await (await get("/v1/queues")).text();
  for (const [options, length] of [
    [{}, Math.floor(whole.length / 2)],
    [{ bytes: 7 }, 7],
    [{ bytes: 0 }, 0],
  ] as const) {
    mock.faults.next("GET /v1/queues", "truncated", options);
    const answer = await get("/v1/queues");
    expect(answer.headers.get("Content-Length")).toBe(String(whole.length));
    const chunks: Uint8Array[] = [];
    const read = async () => {
      for await (const chunk of answer.body ?? []) chunks.push(chunk);
    };
    await expect(read()).rejects.toMatchObject({ name: "TypeError", message: "terminated" });
    expect(Buffer.concat(chunks).toString()).toBe(whole.slice(0, length));
  }
});

describe("slow", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const delayed = () => vi.waitUntil(() => vi.getTimerCount() === 1, { timeout: 30_000 });

  it("delays the response after the effect", async () => {
    mock.faults.next(creation, "slow", { by: "20s" });
    const response = create();
    await delayed();
    expect(await created()).toBe(1);
    vi.advanceTimersByTime(19_000);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect((await response).status).toBe(201);
  });

  it("ends at a reset, and leaves no timer behind", async () => {
    mock.faults.next("*", "slow", { by: "30s", times: 2 });
    const response = get("/v1/me");
    await delayed();
    const later = get("/v1/me");
    mock.reset();
    expect([(await response).status, (await later).status]).toEqual([200, 200]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends with the caller's reason when its request is aborted, and leaves no timer behind", async () => {
    const reason = new Error("the customer went away");
    const controller = new AbortController();
    mock.faults.next("*", "slow", { by: "30s" });
    const response = mock.fetch(`${mock.baseUrl}/v1`, { signal: controller.signal });
    await delayed();
    controller.abort(reason);
    await expect(response).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("html responds with a page, with any status", async () => {
  mock.faults.next(creation, "html", { status: 200 });
  const answer = await create();
  expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "text/html"]);
  expect(await answer.text()).toContain("<!doctype html>");
  expect(await created()).toBe(0);
});

it("rate-limited and in-progress are the refusals of the service, including headers", async () => {
  mock.faults.next(creation, "rate-limited", { retryAfterSeconds: 7 });
  const limited = await create();
  expect(Object.fromEntries(limited.headers)).toMatchObject({
    "retry-after": "7",
    "ratelimit-remaining": "0",
    "ratelimit-reset": "7",
    "api-version": "v1",
  });
  expect(await limited.json()).toMatchObject({
    error: { code: "rate_limited", requestId: limited.headers.get("X-Request-Id") },
  });

  mock.faults.next(creation, "in-progress");
  const running = await create("key-0001");
  expect([running.status, running.headers.get("Retry-After")]).toEqual([409, "1"]);
  expect(await running.json()).toMatchObject({ error: { code: "request_in_progress" } });
  expect(await created()).toBe(0);
});

describe("status", () => {
  it("has Retry-After on an internal error only on request", async () => {
    mock.faults.next("*", "status", { code: "internal_error" });
    mock.faults.next("*", "status", { code: "internal_error", retryAfterSeconds: 5 });
    const answers = [await get("/v1/me"), await get("/v1/me")];
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(answers.map(({ headers }) => headers.get("Retry-After"))).toEqual([null, "5"]);
  });

  it("has the rate limit headers of the service for a caller that it does not know", async () => {
    mock.faults.next("*", "status", { code: "unauthorized" });
    const code = "too_many_failed_attempts";
    mock.faults.next("*", "status", { code, retryAfterSeconds: 600 });
    const faults = [await get("/v1/me"), await get("/v1/me")];
    const own = [];
    for (let i = 0; i < 31; i++) own.push(await caller(mock, "svc_live_nobody").get("/v1/me"));
    const limits = ({ status, headers }: Response) => [
      status,
      ...[...headers].filter(([name]) => /^(ratelimit|retry)-/.test(name)),
    ];
    expect(faults.map(limits)).toEqual([own[0], own[30]].map((one) => one && limits(one)));
  });

  it("responds like a proxy: without JSON and without the service's headers", async () => {
    mock.faults.next("*", "status", { status: 504 });
    mock.faults.next("*", "status", { retryAfterSeconds: 5 });
    const answer = await get("/v1/me");
    expect(Object.fromEntries(answer.headers)).toEqual({ "content-type": "text/plain" });
    expect([answer.status, await answer.text()]).toEqual([504, "504 Gateway Timeout\n"]);
    const { status, headers } = await get("/v1/me");
    expect([status, headers.get("Retry-After")]).toEqual([503, "5"]);
  });

  it.each(Object.entries(errors))(
    "with the code %s is the refusal of the service",
    async (name, { status, message }) => {
      mock.faults.next(creation, "status", { code: name as keyof typeof errors });
      const answer = await create();
      const { error } = (await answer.json()) as ErrorResponse;
      expect(answer.status).toBe(status);
      expect(error).toMatchObject({
        code: name,
        message,
        docUrl: `https://queue.example/docs/errors#${name}`,
      });
      expect("details" in error).toBe(name === "invalid_request");
      expect(error.required).toEqual(name === "insufficient_scope" ? ["queue:write"] : undefined);
      expect(answer.headers.has("WWW-Authenticate")).toBe(name === "unauthorized");
      expect(answer.headers.get("Connection") === "close").toBe(name === "request_timeout");
      expect(await created()).toBe(0);
    },
  );
});
