import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { expectRefusal, expectStatus, expectWrong } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

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
      expectWrong(await client.post(entries, { json: customer1, headers }), "Sandbox-Only");
      expect((await client.entries(clinic.queue())).data).toEqual([]);
    },
  );

  test("is processed as usual with the key of a sandbox", async () => {
    const clinic = await service.clinic({ sandbox: true });
    const headers = { "Sandbox-Only": "true" };
    const entries = `/v1/queues/${clinic.queue()}/entries`;
    expectStatus(await clinic.client().post(entries, { json: customer1, headers }), 201);
  });

  test("reveals nothing about businesses without a valid key", async () => {
    const headers = { "Sandbox-Only": "true" };
    expectRefusal(await service.stranger().get("/v1/me", { headers }), 401, "unauthorized");
    expectStatus(await service.stranger().get("/v1", { headers }), 200);
  });
});
