import { describe, expect, test } from "vitest";
import type { Answer } from "../support/answer.js";
import { Client, customer1 } from "../support/client.js";
import type { Clinic } from "../support/clinic.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { mainKey, wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const { clock } = service;

/** Sends requests one after another. */
async function inTurn<Data>(count: number, send: () => Promise<Answer<Data>>) {
  const answers: Answer<Data>[] = [];
  for (let i = 0; i < count; i++) answers.push(await send());
  return answers;
}

const countdown = (from: number) => Array.from({ length: from }, (_, i) => from - 1 - i);

describe("120 requests a minute", () => {
  test("are accepted, and the next request is refused", async () => {
    const clinic = await service.clinic();
    const passed = await inTurn(120, () => clinic.client().me());
    expect(passed.map(({ status }) => status)).toEqual(Array(120).fill(200));
    expect(passed.map((answer) => answer.number("RateLimit-Remaining"))).toEqual(countdown(120));
    expect(new Set(passed.map((answer) => answer.header("RateLimit-Limit")))).toEqual(
      new Set(["120"]),
    );

    const refused = await clinic.client().me();
    expectRefusal(refused, 429, "rate_limited");
    expect(refused.number("RateLimit-Remaining")).toBe(0);
    expect(refused.header("Retry-After")).toBe(refused.header("RateLimit-Reset"));
  });

  test("count all endpoints together, regardless of the response", async () => {
    const clinic = await service.clinic();
    const client = clinic.client();
    const answers = [
      await client.me(),
      await client.services(),
      await client.create(clinic.queue()),
      await client.entry("a".repeat(24)),
      await client.get("/v1/nothing"),
      await client.get("/v1/me?color=red"),
      await client.me(),
    ];
    const reads = answers.filter((answer) => answer.header("RateLimit-Limit") === "120");
    expect(reads.map((answer) => answer.number("RateLimit-Remaining"))).toEqual([
      119, 118, 116, 115, 114, 113,
    ]);
  });

  test("are counted per key", async () => {
    const clinic = await service.clinic({
      keys: [
        { ...mainKey, requestsPerMinute: 1 },
        { ...mainKey, ref: "other", requestsPerMinute: 1 },
      ],
    });
    expectStatus(await clinic.client().me(), 200);
    expectStatus(await clinic.client().me(), 429);
    expectStatus(await clinic.client("other").me(), 200);
  });

  test("the window starts with the first request and lasts 60 seconds", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, requestsPerMinute: 2 }] });
    const client = clinic.client();
    clock.advance({ minutes: 5 });
    expect((await client.me()).number("RateLimit-Reset")).toBe(60);
    clock.advance({ seconds: 20 });
    expect((await client.me()).number("RateLimit-Reset")).toBe(40);
    clock.advance({ seconds: 39, milliseconds: 999 });
    const refused = await client.me();
    expectRefusal(refused, 429, "rate_limited");
    expect(refused.number("Retry-After")).toBe(1);
    clock.advance({ milliseconds: 1 });
    const fresh = await client.me();
    expectStatus(fresh, 200);
    expect(fresh.number("RateLimit-Remaining")).toBe(1);
    expect(fresh.number("RateLimit-Reset")).toBe(60);
  });
});

describe("30 writes a minute", () => {
  test("are accepted, and the next write is refused while reads continue", async () => {
    const clinic = await service.clinic();
    const passed = await inTurn(30, () => clinic.client().create(clinic.queue()));
    expect(passed.map(({ status }) => status)).toEqual(Array(30).fill(201));
    expect(passed.map((answer) => answer.number("RateLimit-Remaining"))).toEqual(countdown(30));

    const refused = await clinic.client().create(clinic.queue());
    expectRefusal(refused, 429, "rate_limited");
    expect(refused.number("RateLimit-Limit")).toBe(30);
    const read = await clinic.client().queue(clinic.queue());
    expectStatus(read, 200);
    expect(read.data.counts.waiting).toBe(30);
    expect(read.number("RateLimit-Remaining")).toBe(89);
  });

  test("include cancellations and refused creations", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, writesPerMinute: 4 }] });
    const client = clinic.client();
    const { id } = (await client.create(clinic.queue())).data;
    expectStatus(await client.cancel(id), 200);
    expectStatus(await client.cancel(id), 409);
    expectStatus(await client.create(clinic.queue(), {}), 400);
    expectRefusal(await client.cancel(id), 429, "rate_limited");
  });

  test("include a POST to an unknown path, and no other method", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, writesPerMinute: 1 }] });
    expectStatus(await clinic.client().send("DELETE", "/v1/nothing"), 404);
    expectStatus(await clinic.client().post("/v1/nothing"), 404);
    expectRefusal(await clinic.client().post("/v1/nothing"), 429, "rate_limited");
  });

  test("a refused write creates nothing and does not use its Idempotency-Key", async () => {
    const clinic = await service.clinic({
      keys: [
        { ...mainKey, writesPerMinute: 1 },
        { ...mainKey, ref: "other" },
      ],
    });
    await clinic.client().create(clinic.queue());
    const refused = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    expectRefusal(refused, 429, "rate_limited");
    const created = await clinic.client("other").create(clinic.queue(), customer1, "the-same-key");
    expectStatus(created, 201);
    expect(created.headers.has("Idempotent-Replay")).toBe(false);
    expect(created.data.tokenNumber).toBe(2);
  });
});

test("RateLimit-Policy names both windows of the key: of a write, the one with fewer left first", async () => {
  const policy = (answer: Answer<unknown>) => answer.header("RateLimit-Policy");
  const windows = (requests: number, writes: number) =>
    [`"requests";q=${requests};w=60`, `"writes";q=${writes};w=60`] as const;
  const clientOf = async (requestsPerMinute: number, writesPerMinute: number) => {
    const clinic = await service.clinic({
      keys: [{ ...mainKey, requestsPerMinute, writesPerMinute }],
    });
    return { clinic, client: clinic.client() };
  };
  const few = await clientOf(5, 30);
  const created = await few.client.create(few.clinic.queue());
  expect([created.number("RateLimit-Limit"), created.number("RateLimit-Remaining")]).toEqual([
    5, 4,
  ]);
  expect(policy(created)).toBe(windows(5, 30).join(", "));

  const { clinic, client } = await clientOf(9, 2);
  const [requests, writes] = windows(9, 2);
  expect(policy(await client.me())).toBe(`${requests}, ${writes}`);
  expect(policy(await client.create(clinic.queue()))).toBe(`${writes}, ${requests}`);
  expectStatus(await client.create(clinic.queue()), 201);
  const refused = await client.create(clinic.queue());
  expectRefusal(refused, 429, "rate_limited");
  expect(policy(refused)).toBe(`${writes}, ${requests}`);
  const read = await client.me();
  expectStatus(read, 200);
  expect(policy(read)).toBe(`${requests}, ${writes}`);
  expect(read.number("RateLimit-Remaining")).toBe(5);
});

describe("30 failed sign-ins in 10 minutes", () => {
  test("get 401 each, and then the address is barred with or without a key", async () => {
    const clinic = await service.clinic();
    const stranger = clinic.stranger();
    const failed = await inTurn(30, () => stranger.me());
    expect(failed.map(({ status }) => status)).toEqual(Array(30).fill(401));
    expect(failed.map((answer) => answer.number("RateLimit-Remaining"))).toEqual(countdown(30));

    for (const caller of [stranger, clinic.client()]) {
      const barred = await caller.me();
      expectRefusal(barred, 429, "too_many_failed_attempts");
      expect(barred.number("RateLimit-Limit")).toBe(30);
      expect(barred.header("Retry-After")).toBe(barred.header("RateLimit-Reset"));
    }
    const preflight = await stranger.send("OPTIONS", "/v1/me");
    expectRefusal(preflight, 429, "too_many_failed_attempts");
    const elsewhere = service.stranger().with(clinic.key());
    expectStatus(await elsewhere.me(), 200);
  });

  test("a barred address can read the public endpoints", async () => {
    const stranger = service.stranger();
    await inTurn(31, () => stranger.me());
    const index = await stranger.get("/v1");
    expectStatus(index, 200);
    expect(index.number("RateLimit-Remaining")).toBe(0);
    expectStatus(await stranger.get("/v1/openapi.json"), 200);
  });

  test("only 401 responses count", async () => {
    const clinic = await service.clinic({
      apiAccess: false,
      keys: [mainKey, { ref: "reader", name: "Reader", scopes: ["queue:read"] }],
    });
    const other = await service.clinic({
      keys: [{ ...wideKey, ref: "main", scopes: ["queue:read"] }],
    });
    const client = clinic.client();
    const reader = client.with(other.key());
    await inTurn(40, () => client.me());
    await inTurn(40, () => reader.appointments());
    await inTurn(40, () => reader.entry("a".repeat(24)));
    await inTurn(40, () => reader.get("/v1/me?color=red"));
    const failed = await clinic.stranger().me();
    expectRefusal(failed, 401, "unauthorized");
    expect(failed.number("RateLimit-Remaining")).toBe(29);
  });

  test("a request with a valid key does not reset the count", async () => {
    const clinic = await service.clinic();
    await inTurn(29, () => clinic.stranger().me());
    expectStatus(await clinic.client().me(), 200);
    expectStatus(await clinic.stranger().me(), 401);
    expectStatus(await clinic.client().me(), 429);
  });

  test("the window lasts 600 seconds from the first failure, and refused requests do not extend it", async () => {
    const clinic = await service.clinic();
    expect((await clinic.stranger().me()).number("RateLimit-Reset")).toBe(600);
    clock.advance({ seconds: 100 });
    await inTurn(29, () => clinic.stranger().me());
    clock.advance({ seconds: 499, milliseconds: 999 });
    const barred = await clinic.client().me();
    expectRefusal(barred, 429, "too_many_failed_attempts");
    expect(barred.number("Retry-After")).toBe(1);
    clock.advance({ milliseconds: 1 });
    expectStatus(await clinic.client().me(), 200);
  });
});

describe("32 KB of body", () => {
  function bodyOf(bytes: number): string {
    const text = JSON.stringify(customer1);
    return text + " ".repeat(bytes - Buffer.byteLength(text));
  }

  test.each([
    [32_767, 201],
    [32_768, 201],
    [32_769, 413],
    [1_000_000, 413],
  ])("%i bytes get %i", async (bytes, status) => {
    const clinic = await service.clinic();
    const answer = await clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, {
      headers: { "Content-Type": "application/json" },
      body: bodyOf(bytes),
    });
    expectStatus(answer, status);
    if (status === 413) expectRefusal(answer, 413, "payload_too_large");
  });
});

test.each([
  [0, 400],
  [1, 200],
  [100, 200],
  [101, 400],
])("1 to 100 items on a page: limit=%i gets %i", async (limit, status) => {
  const clinic = await service.clinic();
  for (const answer of [
    await clinic.client().entries(clinic.queue(), { limit }),
    await clinic.client().appointments({ limit }),
  ]) {
    expectStatus(answer, status);
    if (status === 400) expectWrong(answer, "limit");
  }
});

describe("the daily token limit of a plan", () => {
  test("includes all queues of the business and canceled tokens", async () => {
    const clinic = await service.clinic({
      dailyTokenLimit: 2,
      queues: [
        { ref: "front", name: "Front desk" },
        { ref: "lab", name: "Lab" },
      ],
    });
    const { id } = (await clinic.client().create(clinic.queue("front"))).data;
    await clinic.client().cancel(id);
    expectStatus(await clinic.client().create(clinic.queue("lab")), 201);
    expectStatus(await clinic.client().create(clinic.queue("front")), 403);
  });

  test("a raised limit applies to the next request", async () => {
    const clinic = await service.clinic({ dailyTokenLimit: 0 });
    expectRefusal(await clinic.client().create(clinic.queue()), 403, "plan_limit_reached");
    await service.owner.setDailyLimit(clinic.slug, 1);
    expectStatus(await clinic.client().create(clinic.queue()), 201);
    expectStatus(await clinic.client().create(clinic.queue()), 403);
    await service.owner.setDailyLimit(clinic.slug, null);
    expectStatus(await clinic.client().create(clinic.queue()), 201);
  });
});

describe("the keys of a business", () => {
  const days = (count: number) => ({ milliseconds: count * 86_400_000 - 1 });

  test.each([
    { lasts: 90, given: {} },
    { lasts: 1, given: { days: 1 } },
    { lasts: 365, given: { days: 365 } },
  ])("a key works for $lasts days with the options $given", async ({ lasts, given }) => {
    const { clinic, clock, owner } = await ofItsOwn();
    const { key } = await owner.createKey(clinic.slug, { name: "Kiosk", ...given });
    clock.advance(days(lasts));
    expectStatus(await meOf(clinic, key), 200);
    clock.advance({ milliseconds: 1 });
    expectRefusal(await meOf(clinic, key), 401, "unauthorized");
  });

  test.each([0, 366])("no key lasts %i days", async (days) => {
    const { clinic, owner } = await ofItsOwn();
    const refused = owner.createKey(clinic.slug, { name: "Kiosk", days });
    await expect(refused).rejects.toThrow("days must be a whole number from 1 to 365");
  });

  test("10 of them are active at a time", async () => {
    const { clinic, owner } = await ofItsOwn();
    const create = () => owner.createKey(clinic.slug, { name: "Kiosk" });
    const ids = [clinic.keyId()];
    while (ids.length < 10) ids.push((await create()).id);
    await expect(create()).rejects.toThrow("has 10 active keys, which is the maximum");
    await owner.revokeKey(ids[0] ?? "");
    const { key } = await create();
    expectStatus(await meOf(clinic, key), 200);
  });

  const meOf = (clinic: Clinic, key: string) =>
    new Client(clinic.client().target, key, "10.0.0.1").me();

  /** A service whose clock no other test moves. */
  async function ofItsOwn() {
    const { clock, owner, clinic } = await testService();
    return { clock, owner, clinic: await clinic() };
  }
});
