/* One test file for every runner: `it`, `expect` and the hooks are globals. */
import { QueueApi } from "@queue-api/sdk";
import { mockQueueApi } from "@queue-api/testkit/msw";
import { setupServer } from "msw/node";

const mock = mockQueueApi();
const server = setupServer(...mock.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => mock.reset());
afterAll(() => server.close());

/** The program under test: takes a token, and retries once when the response is lost. */
async function takeToken() {
  const send = () =>
    fetch(`${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${mock.key("kiosk")}`,
        "Content-Type": "application/json",
        "Idempotency-Key": "order-0001",
      },
      body: JSON.stringify({ name: "Customer 9", phone: "919800000009" }),
    });
  const answer = await send().catch(send);
  const { data } = await answer.json();
  return { token: data.token, position: data.position };
}

it("takes one token when the response is lost", async () => {
  mock.faults.next("POST /v1/queues/:queueId/entries", "reset-after-commit");
  expect(await takeToken()).toEqual({ token: "A5", position: 3 });
  expect(mock.requests.map(({ status }) => status)).toEqual([null, 201]);
});

it("moves up when somebody is called, and has the line of the seed again after a reset", async () => {
  await mock.entries.call(mock.ids.entry("first"));
  expect(await takeToken()).toEqual({ token: "A5", position: 2 });
});

it("calls a fetch that replaces the global one later than the SDK's client is made", async () => {
  const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: "https://queue.example" });
  const { fetch } = globalThis;
  const requested = [];
  globalThis.fetch = async (url, { method, cache }) => {
    requested.push(`${method} ${url} ${cache}`);
    return Response.json({ data: [] });
  };
  expect(await api.queues.list()).toEqual([]);
  globalThis.fetch = fetch;
  expect(requested).toEqual(["GET https://queue.example/v1/queues no-store"]);
});
