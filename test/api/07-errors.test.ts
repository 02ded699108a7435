import { type ErrorCode, errorCodes, errors } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import type { Answer } from "../support/answer.js";
import { customer1 } from "../support/client.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { type Service, testService } from "../support/service.js";

const service = await testService();

const failing = { now: false };

/** A service whose store a test can make fail. */
const breakable = await testService({
  interpose: (store) => ({
    entries: {
      create: async (businessId, request) => {
        if (failing.now) throw new Error("SQLITE_IOERR: disk I/O error at /var/lib/queue-api.db");
        return store.entries.create(businessId, request);
      },
    },
  }),
});

/** How to provoke each error that needs only requests and actions of the owner. */
const provoked: Partial<Record<ErrorCode, (service: Service) => Promise<Answer>>> = {
  invalid_request: async (service) => (await service.clinic()).client().get("/v1/me?color=red"),
  invalid_json: async (service) => {
    const clinic = await service.clinic();
    const headers = { "Content-Type": "application/json" };
    return clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, { headers, body: "{" });
  },
  unauthorized: async (service) => service.stranger().me(),
  insufficient_scope: async (service) => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, scopes: ["queue:read"] }] });
    return clinic.client().create(clinic.queue());
  },
  api_access_disabled: async (service) =>
    (await service.clinic({ apiAccess: false })).client().me(),
  ip_not_allowed: async (service) =>
    (await service.clinic({ keys: [{ ...mainKey, allowIps: ["203.0.113.7"] }] })).client().me(),
  plan_limit_reached: async (service) => {
    const clinic = await service.clinic({ dailyTokenLimit: 0 });
    return clinic.client().create(clinic.queue());
  },
  not_found: async (service) => (await service.clinic()).client().entry("a".repeat(24)),
  queue_paused: async (service) => {
    const clinic = await service.clinic();
    await service.owner.setQueue(clinic.queue(), "pause");
    return clinic.client().create(clinic.queue());
  },
  queue_unavailable: async (service) => {
    const clinic = await service.clinic();
    await service.owner.setQueue(clinic.queue(), "close");
    return clinic.client().create(clinic.queue());
  },
  invalid_state: async (service) => {
    const clinic = await service.clinic();
    const { id } = (await clinic.client().create(clinic.queue())).data;
    await clinic.client().cancel(id);
    return clinic.client().cancel(id);
  },
  payload_too_large: async (service) => {
    const clinic = await service.clinic();
    return clinic.client().create(clinic.queue(), { ...customer1, name: "x".repeat(32_768) });
  },
  unsupported_media_type: async (service) => {
    const clinic = await service.clinic();
    const body = JSON.stringify(customer1);
    return clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, { body });
  },
  idempotency_key_reuse: async (service) => {
    const clinic = await service.clinic();
    await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    const body = { ...customer1, name: "Customer 2" };
    return clinic.client().create(clinic.queue(), body, "the-same-key");
  },
  rate_limited: async (service) => {
    const clinic = await service.clinic({ keys: [{ ...mainKey, requestsPerMinute: 1 }] });
    await clinic.client().me();
    return clinic.client().me();
  },
  too_many_failed_attempts: async (service) => {
    const caller = service.stranger();
    for (let attempt = 0; attempt < 30; attempt++) await caller.me();
    return caller.me();
  },
};

describe("every code of the document", () => {
  test.each(Object.entries(provoked))("%s", async (code, provoke) => {
    const { status } = errors[code as ErrorCode];
    expectRefusal(await provoke(service), status, code as ErrorCode);
  });

  test("internal_error has no internal detail, and is retried with the same Idempotency-Key", async () => {
    const clinic = await breakable.clinic();
    const create = () => clinic.client().create(clinic.queue(), customer1, "the-same-key");
    failing.now = true;
    const failed = await create();
    failing.now = false;
    expectRefusal(failed, 500, "internal_error");
    expect(failed.text).not.toMatch(/SQLITE|disk|\/var/);
    const created = await create();
    expectStatus(created, 201);
    expect(created.headers.has("Idempotent-Replay")).toBe(false);
    expect((await clinic.client().entries(clinic.queue())).data).toHaveLength(1);
  });

  test("has a test here", () => {
    const elsewhere = ["request_in_progress", "request_timeout"]; // 04-idempotency, server/connections
    const here = [...Object.keys(provoked), "internal_error"];
    expect([...here, ...elsewhere].sort()).toEqual([...errorCodes].sort());
  });
});

describe("the error object", () => {
  test("names the wrong fields, with the reason for each", async () => {
    const clinic = await service.clinic();
    const answer = await clinic.client().create(clinic.queue(), { phone: "12", color: "red" });
    expect(answer.error.details).toHaveLength(3);
    expect(answer.error.details).toEqual(
      expect.arrayContaining([
        { field: "name", message: "is required" },
        { field: "phone", message: expect.stringContaining("8 to 20 digits") },
        { field: "color", message: expect.stringMatching(/unknown|not a known/) },
      ]),
    );
  });

  test("names an unknown query parameter as unknown when it is repeated", async () => {
    const clinic = await service.clinic();
    const answer = await clinic.client().get("/v1/queues?color=red&color=blue");
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.error.details).toEqual([
      { field: "color", message: expect.stringMatching(/unknown|not a known/) },
    ]);
  });

  test("is well-formed Unicode, whatever a field is called", async () => {
    const clinic = await service.clinic();
    const cut = `${"a".repeat(63)}🙂`;
    const answer = await clinic.client().post(`/v1/queues/${clinic.queue()}/entries`, {
      headers: { "Content-Type": "application/json" },
      body: `{"name":"A","phone":"919800000001","\\ud800":1,"${cut}":1}`,
    });
    expectWrong(answer, "\ufffd", `${"a".repeat(63)}\ufffd…`);
  });

  test("never repeats a submitted value", async () => {
    const clinic = await service.clinic();
    const secret = "Xq7Zp";
    const entries = `/v1/queues/${clinic.queue()}/entries`;
    const answers = [
      await clinic.client().create(clinic.queue(), {
        name: [secret],
        phone: secret,
        serviceId: secret,
      }),
      await clinic.client().create(clinic.queue(), secret),
      await clinic.client().create(clinic.queue(), customer1, `${secret} ${secret}`),
      await clinic
        .client()
        .get(`${entries}?status=${secret}&date=${secret}&limit=${secret}&cursor=${secret}`),
      await clinic.client().entry(secret),
      await clinic.client().post(entries, {
        headers: { "Content-Type": "application/json" },
        body: `{"name":"${secret}`,
      }),
      await clinic.client().post(entries, {
        headers: { "Content-Type": `text/${secret}` },
        body: secret,
      }),
      await clinic.client().get(`/v1/${secret}`),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain(secret);
    }
  });
});
