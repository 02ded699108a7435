import { randomBytes } from "node:crypto";
import { readConfig, startServer } from "@queue-api/server";
import { expect, onTestFinished, test } from "vitest";
import { customer1 } from "../support/client.js";
import { testService } from "../support/service.js";

const service = await testService({
  settings: { baseUrl: "https://queue.example", docsUrl: "https://docs.example/queue" },
});

test("Location starts with BASE_URL, in the first response and in a replay", async () => {
  const clinic = await service.clinic();
  for (let i = 0; i < 2; i++) {
    const created = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
    const location = `https://queue.example/v1/entries/${created.data.id}`;
    expect(created.header("Location")).toBe(location);
  }
});

test("a replay has the Location of the first response, whatever BASE_URL is now", async () => {
  const clinic = await service.clinic();
  const first = await clinic.client().create(clinic.queue(), customer1, "the-same-key");
  const settings = { port: 0, baseUrl: "https://moved.example", logLevel: "silent" } as const;
  const moved = await startServer({
    store: service.store,
    config: { ...readConfig({}), ...settings },
    random: randomBytes,
  });
  onTestFinished(() => moved.close());
  const create = (key: string) =>
    fetch(`${moved.url}/v1/queues/${clinic.queue()}/entries`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${clinic.key()}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      body: JSON.stringify(customer1),
    });
  const replay = await create("the-same-key");
  expect(replay.headers.get("Idempotent-Replay")).toBe("true");
  expect(replay.headers.get("Location")).toBe(first.header("Location"));
  const another = await create("another-key");
  expect(another.headers.get("Location")).toMatch(/^https:\/\/moved\.example\/v1\/entries\//);
});

test("docUrl starts with DOCS_URL and has an anchor for each code", async () => {
  const clinic = await service.clinic();
  const codes = [await clinic.stranger().me(), await clinic.client().entry("a".repeat(24))];
  for (const { error } of codes) {
    expect(error.docUrl).toMatch(/^https:\/\/docs\.example\/queue.*#/);
    expect(error.docUrl.split("#")[1]).toBe(error.code);
  }
});

test("GET /v1 and the OpenAPI document have both URLs", async () => {
  const index = await service.stranger().get("/v1");
  expect(index.data).toMatchObject({
    docsUrl: "https://docs.example/queue",
    openapiUrl: "https://queue.example/v1/openapi.json",
  });
  const { json } = await service.stranger().get("/v1/openapi.json");
  expect(json).toMatchObject({ servers: [{ url: "https://queue.example" }] });
});
