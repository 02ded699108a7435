import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { ConflictError, QueueApi } from "@queue-api/sdk";
import { fakes, queueApiHandlers } from "@queue-api/sdk/msw";
import { setupServer } from "msw/node";

const server = setupServer(queueApiHandlers.entries.create({ position: 1, tokenNumber: 7 }));
const api = new QueueApi({
  baseUrl: "https://queue.example",
  apiKey: `svc_live_${"a".repeat(24)}_${"b".repeat(43)}`,
});
const create = () =>
  api.entries.create(fakes.queue().id, { name: "Customer 9", phone: "919800000009" });

before(() => server.listen({ onUnhandledRequest: "error" }));
after(() => server.close());

it("returns the response of the handler", async () => {
  const { token, position } = await create();
  assert.deepEqual({ token, position }, { token: "A7", position: 1 });
});

it("rejects with the error of the handler", async () => {
  server.use(queueApiHandlers.entries.create.error("queue_paused"));
  await assert.rejects(create, ConflictError);
});
