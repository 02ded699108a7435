import { describe, expect, test } from "vitest";
import { businessEndpoints, call, clinicWithIds, endpointsWithId } from "../support/endpoints.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

describe("headers of every response", () => {
  test.each(businessEndpoints)("$method $template sends all of them", async (endpoint) => {
    const clinic = await service.clinic(clinicWithIds);
    const answer = await call(endpoint, clinic.client(), clinic);
    const limit = endpoint.method === "POST" ? 30 : 120;

    expect(answer.header("Content-Type")).toMatch(/^application\/json/);
    expect(answer.header("Cache-Control")).toBe("no-store");
    expect(answer.requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(answer.header("API-Version")).toBe("v1");
    expect(answer.number("RateLimit-Limit")).toBe(limit);
    expect(answer.number("RateLimit-Remaining")).toBe(limit - 1);
    expect(answer.number("RateLimit-Reset")).toBeGreaterThanOrEqual(59);
    expect(answer.number("RateLimit-Reset")).toBeLessThanOrEqual(60);
  });

  test("a request id that the client sends is ignored", async () => {
    const clinic = await service.clinic();
    const id = "11111111-1111-4111-8111-111111111111";
    const answer = await clinic.client().get("/v1/me", { headers: { "X-Request-Id": id } });
    expect(answer.requestId).not.toBe(id);
  });
});

describe("unknown and invalid parameters", () => {
  test.each(businessEndpoints)(
    "$method $template refuses an unknown query parameter, so it takes no business from the URL",
    async (endpoint) => {
      const clinic = await service.clinic(clinicWithIds);
      const query = `?businessId=${clinic.id}&size=1`;
      const answer = await call(endpoint, clinic.client(), clinic, { query });
      expectWrong(answer, "businessId", "size");
    },
  );

  test.each(["/v1", "/v1/openapi.json"])(
    "GET %s refuses an unknown query parameter",
    async (path) => {
      expectWrong(await service.stranger().get(`${path}?color=red`), "color");
    },
  );

  test.each(endpointsWithId)("$method $template refuses a malformed id", async (endpoint) => {
    const clinic = await service.clinic(clinicWithIds);
    const name = /\{(\w+)\}/.exec(endpoint.template)?.[1] ?? "";
    for (const id of [
      "a".repeat(19),
      "a".repeat(33),
      `${"a".repeat(20)}-`,
      `${"a".repeat(23)}%C3%A9`,
    ]) {
      expectWrong(await call(endpoint, clinic.client(), clinic, { id }), name);
    }
  });

  test("the id of one resource does not address another kind of resource", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const client = clinic.client();
    expectRefusal(await client.entry(clinic.queue()), 404, "not_found");
    expectRefusal(await client.queue(clinic.entry("first")), 404, "not_found");
    expectRefusal(await client.appointment(clinic.entry("first")), 404, "not_found");
  });

  test("one response names all wrong fields of a request", async () => {
    const clinic = await service.clinic();
    const answer = await clinic.client().post(`/v1/queues/${clinic.queue()}/entries?x=1`, {
      headers: { "Idempotency-Key": "short" },
      json: { phone: "1", serviceId: "?", color: "red" },
    });
    expectWrong(answer, "Idempotency-Key", "color", "name", "phone", "serviceId", "x");
  });

  const wrong: Readonly<Record<string, readonly string[]>> = {
    status: ["waiting", ""],
    date: ["2026-02-30", "2026-13-01", "2026-2-3", "today", ""],
    limit: ["-1", "1.5", "1e1", "0x10", " 5", "05", "+5", "٥", "99999999999999999999", "ten", ""],
    cursor: ["short", "…", ""],
  };
  const rows = Object.entries(wrong).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );

  test.each(rows)("the lists refuse %s=%j", async (name, value) => {
    const clinic = await service.clinic();
    expectWrong(await clinic.client().entries(clinic.queue(), { [name]: value }), name);
    expectWrong(await clinic.client().appointments({ [name]: value }), name);
  });

  test("a queue's summary refuses a day that does not exist", async () => {
    const clinic = await service.clinic();
    const refused = await clinic.client().queue(clinic.queue(), { date: "2026-02-29" });
    expectWrong(refused, "date");
    expect(refused.error?.details).toEqual([
      { field: "date", message: "must be a day that exists" },
    ]);
    expectStatus(await clinic.client().queue(clinic.queue(), { date: "2028-02-29" }), 200);
  });
});

describe("POST /v1/queues/{queueId}/entries", () => {
  test("returns 201 with the entry, its position and its URL", async () => {
    const clinic = await service.clinic();
    const first = await clinic.client().create(clinic.queue());
    const second = await clinic.client().create(clinic.queue(), {
      name: "Customer 2",
      phone: "919800000002",
      serviceId: clinic.service(),
    });

    expectStatus(first, 201);
    expect(first.data).toMatchObject({ status: "WAITING", token: "A1", position: 1 });
    expect(Math.abs(Date.parse(first.data.issuedAt) - service.now())).toBeLessThan(60_000);
    expect(second.data).toMatchObject({
      token: "A2",
      position: 2,
      serviceId: clinic.service(),
      customer: { name: "Customer 2", phone: "919800000002" },
    });
    const { openapiUrl } = (await service.stranger().get<{ openapiUrl: string }>("/v1")).data;
    const path = `/v1/entries/${second.data.id}`;
    expect(second.header("Location")).toBe(openapiUrl.replace("/v1/openapi.json", path));
    expect((await clinic.client().get(path)).data).toEqual(second.data);
  });

  test.each([
    ["no name", { phone: "919800000001" }, ["name"]],
    ["no phone", { name: "A" }, ["phone"]],
    ["nothing", {}, ["name", "phone"]],
    ["null for a name", { name: null, phone: "919800000001" }, ["name"]],
    ["a number for a phone", { name: "A", phone: 919800000001 }, ["phone"]],
    ["an unknown field", { name: "A", phone: "919800000001", priority: true }, ["priority"]],
    ["a business", { name: "A", phone: "919800000001", businessId: "a" }, ["businessId"]],
    ["a null service", { name: "A", phone: "919800000001", serviceId: null }, ["serviceId"]],
    ["a lone surrogate", { name: "\ud800", phone: "919800000001" }, ["name"]],
  ])("refuses %s", async (_, body, fields) => {
    const clinic = await service.clinic();
    expectWrong(await clinic.client().create(clinic.queue(), body), ...fields);
    expect((await clinic.client().entries(clinic.queue())).data).toEqual([]);
  });

  test.each([
    ["an array", []],
    ["a string", "text"],
    ["a number", 7],
    ["null", null],
    ["true", true],
  ])("refuses %s instead of an object", async (_, body) => {
    const clinic = await service.clinic();
    const answer = await clinic.client().create(clinic.queue(), body);
    expectRefusal(answer, 400, "invalid_request");
  });

  test("refuses a service that is not an active service of the business", async () => {
    const clinic = await service.clinic({
      services: [{ ref: "old", name: "Old", active: false }],
    });
    const other = await service.clinic();
    const body = { name: "A", phone: "919800000001" };
    for (const serviceId of [clinic.service("old"), other.service(), "a".repeat(24)]) {
      const answer = await clinic.client().create(clinic.queue(), { ...body, serviceId });
      expectWrong(answer, "serviceId");
    }
  });
});

describe("POST /v1/entries/{entryId}/cancel", () => {
  test.each([{}, null])(
    "accepts %j, which generated clients send instead of no body",
    async (json) => {
      const clinic = await service.clinic(clinicWithIds);
      const path = `/v1/entries/${clinic.entry("first")}/cancel`;
      expectStatus(await clinic.client().post(path, { json }), 200);
    },
  );

  test("refuses any field", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const path = `/v1/entries/${clinic.entry("first")}/cancel`;
    expectWrong(await clinic.client().post(path, { json: { reason: "late" } }), "reason");
    expect((await clinic.client().entry(clinic.entry("first"))).data.status).toBe("WAITING");
  });
});

test("many unknown fields are reported in part, so that the response does not grow with the request", async () => {
  const clinic = await service.clinic();
  const json = Object.fromEntries(Array.from({ length: 2_500 }, (_, at) => [`f${at}`, at]));
  const answer = await clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, { json });
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.error.details).toHaveLength(20);
  expect(answer.error.details?.[0]).toEqual({ field: "name", message: "is required" });
  expect(answer.error.details?.at(-1)).toEqual({ field: "…", message: "and 2483 more" });
});

test("GET /v1/openapi.json ignores a key", async () => {
  const clinic = await service.clinic();
  const anyKey = clinic.stranger().with("svc_live_nonsense");
  expectStatus(await anyKey.get("/v1/openapi.json"), 200);
  expectStatus(await clinic.client().get("/v1"), 200);
});
