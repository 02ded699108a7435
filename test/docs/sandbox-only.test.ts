import { describe, expect, test } from "vitest";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();
const customer = { name: "Customer 1", phone: "+91 98000 00001" };

describe("a request with the header Sandbox-Only", () => {
  test.each(["true", "false", ""])(
    "is refused with the key of a real business for any value, and creates nothing (%j)",
    async (value) => {
      const clinic = await service.clinic();
      const client = clinic.client();
      const headers = { "Sandbox-Only": value };
      const entries = `/v1/queues/${clinic.queue()}/entries`;
      expectWrong(await client.get("/v1/me", { headers }), "Sandbox-Only");
      expectWrong(await client.get("/v1/nothing", { headers }), "Sandbox-Only");
      const sendsIdempotencyKey = { ...headers, "Idempotency-Key": "sandbox-only-0001" };
      expectWrong(
        await client.post(entries, { json: customer, headers: sendsIdempotencyKey }),
        "Sandbox-Only",
      );
      const { data } = (await client.get(entries)).json as { data: unknown[] };
      expect(data).toEqual([]);
    },
  );

  test("is processed as usual with the key of a sandbox", async () => {
    const clinic = await service.clinic({ sandbox: true });
    const headers = { "Sandbox-Only": "true" };
    const entries = `/v1/queues/${clinic.queue()}/entries`;
    expectStatus(await clinic.client().post(entries, { json: customer, headers }), 201);
  });

  test("reveals nothing about businesses without a valid key", async () => {
    const headers = { "Sandbox-Only": "true" };
    expectRefusal(await service.stranger().get("/v1/me", { headers }), 401, "unauthorized");
    expectStatus(await service.stranger().get("/v1", { headers }), 200);
  });
});
