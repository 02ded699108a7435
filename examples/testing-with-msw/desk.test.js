import { mockQueueApi } from "@queue-api/testkit/msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { Desk } from "./desk.js";

const mock = mockQueueApi({
  clock: "2026-11-21T04:30:00Z", // ten in the morning, where the clinic is
  seed: {
    businesses: [
      {
        slug: "clinic",
        name: "Clinic",
        timezone: "Asia/Kolkata",
        queues: [
          {
            ref: "front",
            name: "Front desk",
            entries: [
              { name: "Customer 1", status: "COMPLETED", minutesAgo: 40 },
              { ref: "first", name: "Customer 2", minutesAgo: 10 },
            ],
          },
        ],
        keys: [{ ref: "desk", name: "Desk" }],
      },
    ],
  },
});
const server = setupServer(...mock.handlers);
let desk;

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(() => {
  // A desk of its own for each test: its client waits for the rate limits that it met.
  desk = new Desk({
    baseUrl: mock.baseUrl,
    apiKey: mock.key("desk"),
    queueId: mock.ids.queue("front"),
  });
});
afterEach(() => mock.reset());
afterAll(() => server.close());

it("takes a token", async () => {
  expect(await desk.take("Customer 3", "919800000003")).toBe("A3, number 2 in line");
});

it("moves up when somebody is called", async () => {
  await mock.entries.call(mock.ids.entry("first"));
  expect(await desk.take("Customer 3", "919800000003")).toBe("A3, number 1 in line");
});

it("says that the queue is paused", async () => {
  await mock.queues.pause(mock.ids.queue("front"));
  expect(await desk.take("Customer 3", "919800000003")).toBe(
    "The queue takes no tokens at the moment.",
  );
});

it("makes one token when the answer is lost", async () => {
  mock.faults.next("POST /v1/queues/:queueId/entries", "reset-after-commit");
  expect(await desk.take("Customer 3", "919800000003")).toBe("A3, number 2 in line");
  expect(await desk.today()).toBe("2026-11-21: 2 waiting, 1 served");

  const [lost, again] = mock.requests;
  expect([lost.status, again.status]).toEqual([null, 201]);
  expect(again.headers["idempotency-key"]).toBe(lost.headers["idempotency-key"]);
});

it("says when to come back after the rate limit", async () => {
  const { key } = await mock.keys.create({ writesPerMinute: 1 });
  const hasty = new Desk({
    baseUrl: mock.baseUrl,
    apiKey: key,
    queueId: mock.ids.queue("front"),
  });
  await hasty.take("Customer 3", "919800000003");
  expect(await hasty.take("Customer 4", "919800000004")).toBe(
    "Too many at once. Again in 60 seconds.",
  );
});

it("begins each day at A1, at the clinic's own midnight", async () => {
  mock.clock.set("2026-11-21T18:29:59Z");
  expect(await desk.take("Customer 3", "919800000003")).toBe("A3, number 2 in line");
  mock.clock.advance("1s");
  expect(await desk.take("Customer 4", "919800000004")).toBe("A1, number 1 in line");
});

it("shows the token and the position that the service answers", async () => {
  mock.answers.next("POST /v1/queues/:queueId/entries", { token: "Z99", position: 42 });
  expect(await desk.take("Customer 3", "919800000003")).toBe("Z99, number 42 in line");
});
