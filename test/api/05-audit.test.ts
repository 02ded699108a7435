import { describe, expect, test, vi } from "vitest";
import { auditLog } from "../store/support/audit.js";
import type { Answer } from "../support/answer.js";
import { customer1 } from "../support/client.js";
import type { Clinic } from "../support/clinic.js";
import { clinicWithIds } from "../support/endpoints.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const { clock, store } = service;

/** The audit log when it has that many rows, oldest first. The row of a read is stored shortly after its response. */
async function audited(clinic: Clinic, count: number) {
  const rows = await vi.waitFor(
    async () => {
      const rows = await service.owner.audit(clinic.slug, 1000);
      expect(rows.length).toBeGreaterThanOrEqual(count);
      return rows;
    },
    { timeout: 30_000 },
  );
  expect(rows).toHaveLength(count);
  return [...rows].reverse();
}

/** The audit row that a request must have. */
function rowOf(clinic: Clinic, method: string, path: string, answer: Answer) {
  return {
    keyId: clinic.keyId(),
    method,
    path,
    status: answer.status,
    ip: clinic.client().address,
    requestId: answer.requestId,
  };
}

describe("the audit log", () => {
  test("records method, path, status, address and request id of every authenticated request", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const client = clinic.client();
    const entries = `/v1/queues/${clinic.queue()}/entries`;
    const cancel = `/v1/entries/${clinic.entry("first")}/cancel`;
    const expected = [
      rowOf(clinic, "GET", "/v1/me", await client.from(`::ffff:${client.address}`).me()),
      rowOf(clinic, "GET", entries, await client.entries(clinic.queue(), { limit: 5 })),
      rowOf(clinic, "POST", entries, await client.create(clinic.queue())),
      rowOf(clinic, "POST", cancel, await client.cancel(clinic.entry("first"))),
      rowOf(clinic, "POST", cancel, await client.cancel(clinic.entry("first"))),
      rowOf(clinic, "GET", "/v1/nothing", await client.get("/v1/nothing")),
      rowOf(clinic, "GET", "/v1/me", await client.get("/v1/me?color=red")),
      rowOf(clinic, "POST", entries, await client.create(clinic.queue(), {})),
    ];
    const rows = await audited(clinic, expected.length);
    const byId = new Map(rows.map((row) => [row.requestId, row]));
    for (const row of expected) expect(byId.get(row.requestId)).toMatchObject(row);
  });

  test("records a write before its response is sent", async () => {
    const clinic = await service.clinic();
    const created = await clinic.client().create(clinic.queue());
    const afterCreation = await service.owner.audit(clinic.slug, 10);
    expect(afterCreation.map(({ requestId }) => requestId)).toEqual([created.requestId]);
    const canceled = await clinic.client().cancel(created.data.id);
    const [newest] = await service.owner.audit(clinic.slug, 10);
    expect(newest?.requestId).toBe(canceled.requestId);
  });

  test("records requests with a valid key that admission refuses", async () => {
    const clinic = await service.clinic({
      keys: [
        { ref: "main", name: "Narrow", scopes: ["queue:read"], requestsPerMinute: 1 },
        { ref: "locked", name: "Locked", allowIps: ["203.0.113.7"] },
      ],
    });
    const answers = [
      await clinic.client().create(clinic.queue()),
      await clinic.client().me(),
      await clinic.client("locked").me(),
    ];
    await service.owner.setAccess(clinic.slug, false);
    answers.push(await clinic.client().me());
    expect(answers.map(({ status }) => status)).toEqual([403, 429, 403, 403]);

    const rows = await audited(clinic, 4);
    expect(rows.map(({ requestId, status }) => `${requestId} ${status}`).sort()).toEqual(
      answers.map(({ requestId, status }) => `${requestId} ${status}`).sort(),
    );
    expect(rows.map(({ keyId }) => keyId)).toContain(clinic.keyId("locked"));
  });

  test("has no row of a request that needs no key, or is refused before its key is checked", async () => {
    const clinic = await service.clinic();
    const client = clinic.client();
    const answers = [
      await client.get("/v1"),
      await client.get("/v1/openapi.json"),
      await client.get(`/v1/me?key=${clinic.key()}`),
      await client.me(),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200]);
    const [row] = await audited(clinic, 1);
    expect(row?.requestId).toBe(answers[3]?.requestId);
  });

  describe("of a key that is far over its limit", () => {
    const narrow = { ...mainKey, requestsPerMinute: 5 };

    test("has a row for each refused request up to the limit, and a sum of the rest", async () => {
      clock.advance({ minutes: 1 });
      const clinic = await service.clinic({ keys: [narrow] });
      const answers = [];
      for (let n = 0; n < 40; n++) answers.push(await clinic.client().me());
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      const last = answers[39]?.requestId;
      await expect.poll(() => sumsOf(clinic)).toEqual([[429, 30, last]]);
      // The sum has the time of its last request. Rows of the same millisecond have no fixed order.
      const rows = (await audited(clinic, 11)).map(({ requestId }) => requestId);
      const oneByOne = answers.slice(0, 10).map(({ requestId }) => requestId);
      expect(rows.filter((requestId) => requestId !== last)).toEqual(oneByOne);
    });

    /** Status, count and last request of each sum in the log of a business. */
    async function sumsOf(clinic: Clinic) {
      return (await auditLog(store, clinic.id)).flatMap(({ status, requestId, sum }) =>
        sum ? [[status, sum.count, requestId]] : [],
      );
    }
  });

  test("records no request without a valid key, and no request of another business", async () => {
    const [clinic, other] = [await service.clinic(), await service.clinic()];
    await clinic.stranger().me();
    await other.client().get(`/v1/queues/${clinic.queue()}`);
    const last = await clinic.client().me();
    const rows = await audited(clinic, 1);
    expect(rows.map(({ requestId }) => requestId)).toEqual([last.requestId]);
  });

  test("records no body, no query and no key", async () => {
    const clinic = await service.clinic();
    await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    await clinic.client().get("/v1/me?color=ultramarine");
    const text = JSON.stringify(await audited(clinic, 2));
    const secret = clinic.key().split("_")[3] ?? "";
    for (const sensitive of [
      customer1.phone,
      customer1.name,
      secret,
      "ultramarine",
      "the-same-key",
    ]) {
      expect(text).not.toContain(sensitive);
    }
  });
});
