import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

/*
 * The decisions where the specification is silent, as far as one or two requests show them. Windows
 * are in 08-limits, waits in 04-waits, cursors in 04-lists, idempotency in 04-idempotency.
 */

const service = await testService();

test("GET /v1 names the service and links to its documentation", async () => {
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

  test("HEAD gets the headers of GET and needs the same key and scope", async () => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, scopes: ["appointments:read"] }] });
    expectStatus(await clinic.client().send("HEAD", "/v1/me"), 200);
    expectStatus(await clinic.client().send("HEAD", "/v1/queues"), 403);
    expectStatus(await clinic.stranger().send("HEAD", "/v1/me"), 401);
    const head = await clinic.client().send("HEAD", "/v1/me");
    expect(head.text).toBe("");
    const plain = { headers: { "Accept-Encoding": "identity" } };
    const { text } = await clinic.client().get("/v1/me", plain);
    expect(head.number("Content-Length")).toBe(Buffer.byteLength(text));
  });
});

describe("the order of the checks", () => {
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
});

test.each(["date=2026-11-21&date=2026-11-21", "limit=1&limit=2", "status=WAITING&status=NO_SHOW"])(
  "repeated parameters: ?%s is refused, whether the values are equal or not",
  async (query) => {
    const clinic = await service.clinic();
    const answer = await clinic.client().get(`/v1/queues/${clinic.queue()}/entries?${query}`);
    expectWrong(answer, query.slice(0, query.indexOf("=")));
  },
);
