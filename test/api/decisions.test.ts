import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { clinicWithIds } from "../support/endpoints.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

/*
 * The decisions where the specification is silent, as far as one or two requests show them. Windows
 * are in 08-limits, waits in 04-waits, cursors in 04-lists, idempotency in 04-idempotency.
 */

const service = await testService();

describe("GET /v1", () => {
  test("names the service and links to its documentation", async () => {
    const answer = await service.stranger().get("/v1");
    expectStatus(answer, 200);
    expect(answer.json).toEqual({
      data: {
        name: "Queue API",
        version: "1.1.0",
        apiVersion: "v1",
        docsUrl: expect.stringMatching(/^https?:\/\//),
        openapiUrl: expect.stringMatching(/^https?:.*\/v1\/openapi\.json$/),
      },
    });
  });

  test("reports the failed sign-ins of the client's address", async () => {
    const stranger = service.stranger();
    expect((await stranger.get("/v1")).number("RateLimit-Remaining")).toBe(30);
    await stranger.me();
    const answer = await stranger.get("/v1");
    expect(answer.number("RateLimit-Limit")).toBe(30);
    expect(answer.number("RateLimit-Remaining")).toBe(29);
    expect(answer.number("RateLimit-Reset")).toBeLessThanOrEqual(600);
    expect(answer.header("RateLimit-Policy")).toBe('"sign-ins";q=30;w=600');
  });
});

describe("paths and methods", () => {
  const unknown = [
    ["GET", "/v1/unknown"],
    ["GET", "/v1/"],
    ["GET", "/v1/me/"],
    ["GET", "/v1/Me"],
    ["GET", "/v1/entries"],
    ["GET", "/v1/queues/aaaaaaaaaaaaaaaaaaaaaaaa/Entries"],
    ["GET", "/v1/entries/aaaaaaaaaaaaaaaaaaaaaaaa/cancel"],
    ["POST", "/v1/me"],
    ["POST", "/v1"],
    ["POST", "/v1/entries/aaaaaaaaaaaaaaaaaaaaaaaa/Cancel"],
    ["PUT", "/v1/queues"],
    ["PATCH", "/v1/entries/aaaaaaaaaaaaaaaaaaaaaaaa"],
    ["DELETE", "/v1/entries/aaaaaaaaaaaaaaaaaaaaaaaa"],
    ["DELETE", "/v1/openapi.json"],
    ["OPTIONS", "/v1/me"],
    ["OPTIONS", "/v1"],
    ["OPTIONS", "/v1/unknown"],
    ["PROPFIND", "/v1/me"],
  ] as const;

  test.each(unknown)("%s %s gets 404 in JSON with a key", async (method, path) => {
    const clinic = await service.clinic();
    expectRefusal(await clinic.client().send(method, path), 404, "not_found");
  });

  test.each(unknown)("%s %s gets 401 without a key", async (method, path) => {
    expectRefusal(await service.stranger().send(method, path), 401, "unauthorized");
  });

  test.each(["/", "/v2", "/v10/me", "/V1/me", "/favicon.ico", "/robots.txt", "/index.html"])(
    "GET %s, outside /v1, gets 404 in JSON",
    async (path) => {
      expectRefusal(await service.stranger().get(path), 404, "not_found");
    },
  );

  test("a request to an unknown path is counted and refused like any other", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, requestsPerMinute: 1 }] });
    expectStatus(await clinic.client().get("/v1/unknown"), 404);
    expectStatus(await clinic.client().get("/v1/unknown"), 429);
  });

  test("HEAD gets the headers of GET and needs the same key and scope", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, scopes: ["appointments:read"] }] });
    expectStatus(await clinic.client().send("HEAD", "/v1/me"), 200);
    expectStatus(await clinic.client().send("HEAD", "/v1/queues"), 403);
    expectStatus(await clinic.stranger().send("HEAD", "/v1/me"), 401);
    expect((await clinic.client().send("HEAD", "/v1/me")).text).toBe("");
  });
});

describe("the order of the checks", () => {
  test("the barred address, then the key", async () => {
    const clinic = await service.clinic();
    for (let attempt = 0; attempt < 30; attempt++) await clinic.stranger().me();
    expectRefusal(await clinic.client().me(), 429, "too_many_failed_attempts");
    expectRefusal(await clinic.client().get("/v1/unknown"), 429, "too_many_failed_attempts");
  });

  test("a key in the URL, then the barred address", async () => {
    const clinic = await service.clinic();
    for (let attempt = 0; attempt < 30; attempt++) await clinic.stranger().me();
    expectWrong(await clinic.client().get(`/v1/me?key=${clinic.key()}`), "key");
  });

  test("the windows, then the scope", async () => {
    const clinic = await service.clinic({
      keys: [{ ...mainKey, scopes: ["queue:read"], writesPerMinute: 1 }],
    });
    expectRefusal(await clinic.client().create(clinic.queue()), 403, "insufficient_scope");
    expectRefusal(await clinic.client().create(clinic.queue()), 429, "rate_limited");
  });

  test("the scope, then the body", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, scopes: ["queue:read"] }] });
    const answer = await clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, {
      headers: { "Content-Type": "text/plain" },
      body: "x".repeat(40_000),
    });
    expectRefusal(answer, 403, "insufficient_scope");
  });

  test("the content type, then the size, then the JSON", async () => {
    const clinic = await service.clinic();
    const post = (type: string) =>
      clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, {
        headers: { "Content-Type": type },
        body: "{".repeat(40_000),
      });
    expectRefusal(await post("text/plain"), 415, "unsupported_media_type");
    expectRefusal(await post("application/json"), 413, "payload_too_large");
  });

  test("the body, then the idempotency key", async () => {
    const clinic = await service.clinic();
    await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    expectWrong(await clinic.client().create(clinic.queue(), {}, "the-same-key"), "name", "phone");
  });

  test("the idempotency key, then the state of the queue", async () => {
    const clinic = await service.clinic();
    await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    await service.owner.setQueue(clinic.queue(), "close");
    const body = { ...customer1, name: "Customer 2" };
    const answer = await clinic.client().create(clinic.queue(), body, "the-same-key");
    expectRefusal(answer, 422, "idempotency_key_reuse");
  });

  test("an unknown queue, then an unknown service", async () => {
    const clinic = await service.clinic();
    const body = { ...customer1, serviceId: "a".repeat(24) };
    const answer = await clinic.client().create("b".repeat(24), body);
    expectRefusal(answer, 404, "not_found");
  });
});

describe("repeated parameters", () => {
  test.each([
    "date=2026-11-21&date=2026-11-21",
    "limit=1&limit=2",
    "status=WAITING&status=NO_SHOW",
  ])("?%s is refused, whether the values are equal or not", async (query) => {
    const clinic = await service.clinic();
    const answer = await clinic.client().get(`/v1/queues/${clinic.queue()}/entries?${query}`);
    expectWrong(answer, query.slice(0, query.indexOf("=")));
  });

  test.each(["limit[]=1", "date[a]=1", "limit%5B%5D=1"])(
    "?%s is an unknown parameter",
    async (query) => {
      const clinic = await service.clinic();
      const answer = await clinic.client().get(`/v1/queues/${clinic.queue()}/entries?${query}`);
      expectRefusal(answer, 400, "invalid_request");
    },
  );
});

describe("tokens", () => {
  test("numbers continue after those that the business issued, without a repetition", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const second = (await clinic.client().create(clinic.queue())).data;
    await clinic.client().cancel(second.id);
    const third = (await clinic.client().create(clinic.queue())).data;
    expect([second.tokenNumber, third.tokenNumber]).toEqual([2, 3]);
  });
});

describe("Location", () => {
  test("is an absolute URL under the base URL of the service", async () => {
    const clinic = await service.clinic();
    const created = await clinic.client().create(clinic.queue());
    const index = await service.stranger().get<{ openapiUrl: string }>("/v1");
    const base = index.data.openapiUrl.replace("/v1/openapi.json", "");
    expect(created.header("Location")).toBe(`${base}/v1/entries/${created.data.id}`);
  });
});
