import type { Entry } from "@queue-api/contract";
import { expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { testService } from "../support/service.js";

const service = await testService({
  settings: { baseUrl: "https://queue.example", docsUrl: "https://docs.example/queue" },
});

test("Location starts with BASE_URL, in the first response and in a replay, whatever the Host header is", async () => {
  const clinic = await service.clinic();
  for (let i = 0; i < 2; i++) {
    const created = await clinic.client().post<Entry>(`/v1/queues/${clinic.queue()}/entries`, {
      headers: { Host: "evil.example", "Idempotency-Key": "the-same-key" },
      json: customer1,
    });
    const location = `https://queue.example/v1/entries/${created.data.id}`;
    expect(created.header("Location")).toBe(location);
  }
});

test("errors, GET /v1 and the OpenAPI document have both URLs", async () => {
  const { error } = await service.stranger().me();
  expect(error.docUrl).toBe("https://docs.example/queue/errors#unauthorized");
  const index = await service.stranger().get("/v1");
  expect(index.data).toMatchObject({
    docsUrl: "https://docs.example/queue",
    openapiUrl: "https://queue.example/v1/openapi.json",
  });
  const { json } = await service.stranger().get("/v1/openapi.json");
  expect(json).toMatchObject({ servers: [{ url: "https://queue.example" }] });
});
