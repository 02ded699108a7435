import { describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

describe("no events", () => {
  test("the OpenAPI document has no webhooks, callbacks or messages to customers", async () => {
    const { json, text } = await service.stranger().get("/v1/openapi.json");
    expect(json).not.toHaveProperty("webhooks");
    expect(text).not.toContain('"callbacks"');
    expect(text).not.toMatch(/sms|whatsapp|e-?mail|notify|webhook/i);
  });

  test.each(["/v1/events", "/v1/webhooks", "/v1/stream", "/v1/sandbox"])(
    "there is no %s",
    async (path) => {
      const clinic = await service.clinic();
      expectRefusal(await clinic.client().get(path), 404, "not_found");
      expectRefusal(await clinic.client().post(path, { json: {} }), 404, "not_found");
    },
  );
});
