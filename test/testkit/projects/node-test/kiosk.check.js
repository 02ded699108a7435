import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { mockQueueApi } from "@queue-api/testkit/msw";
import { setupServer } from "msw/node";
import { takeToken } from "../kiosk.js";

const mock = mockQueueApi();
const server = setupServer(...mock.handlers);
const customer = { name: "Customer 9", phone: "919800000009" };
const place = () => ({
  baseUrl: mock.baseUrl,
  apiKey: mock.key("kiosk"),
  queueId: mock.ids.queue("front"),
});

before(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => mock.reset());
after(() => server.close());

it("takes a token", async () => {
  assert.deepEqual(await takeToken(place(), customer, "order-0001"), { token: "A5", position: 3 });
});

it("reports that the queue is paused", async () => {
  await mock.queues.pause(mock.ids.queue("front"));
  assert.deepEqual(await takeToken(place(), customer, "order-0001"), { refused: "queue_paused" });
});

it("takes one token when the response is lost", async () => {
  mock.faults.next("POST /v1/queues/:queueId/entries", "reset-after-commit");
  assert.deepEqual(await takeToken(place(), customer, "order-0001"), { token: "A5", position: 3 });
  assert.deepEqual(
    mock.requests.map(({ status }) => status),
    [null, 201],
  );
});

it("begins a new day at A1", async () => {
  mock.clock.advance("1d");
  assert.deepEqual(await takeToken(place(), customer, "order-0001"), { token: "A1", position: 1 });
});

it("is refused after the key has expired", async () => {
  mock.clock.advance("91d");
  assert.deepEqual(await takeToken(place(), customer, "order-0001"), { refused: "unauthorized" });
});
