const { mockQueueApi } = require("@queue-api/testkit/msw");
const { setupServer } = require("msw/node");
const { takeToken } = require("../jest-cjs/kiosk.cjs");

const mock = mockQueueApi();
const server = setupServer(...mock.handlers);
const customer = { name: "Customer 9", phone: "919800000009" };
const place = () => ({
  baseUrl: mock.baseUrl,
  apiKey: mock.key("kiosk"),
  queueId: mock.ids.queue("front"),
});

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => mock.reset());
afterAll(() => server.close());

it("takes a token", async () => {
  expect(await takeToken(place(), customer, "order-0001")).toEqual({ token: "A5", position: 3 });
});

it("reports that the queue is paused", async () => {
  await mock.queues.pause(mock.ids.queue("front"));
  expect(await takeToken(place(), customer, "order-0001")).toEqual({ refused: "queue_paused" });
});

it("takes one token when the response is lost", async () => {
  mock.faults.next("POST /v1/queues/:queueId/entries", "reset-after-commit");
  expect(await takeToken(place(), customer, "order-0001")).toEqual({ token: "A5", position: 3 });
  expect(mock.requests.map(({ status }) => status)).toEqual([null, 201]);
});

it("begins a new day at A1", async () => {
  mock.clock.advance("1d");
  expect(await takeToken(place(), customer, "order-0001")).toEqual({ token: "A1", position: 1 });
});

it("is refused after the key has expired", async () => {
  mock.clock.advance("91d");
  expect(await takeToken(place(), customer, "order-0001")).toEqual({ refused: "unauthorized" });
});
