import { mockQueueApi } from "@queue-api/testkit/msw";
import { HttpResponse, http, type RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { milliseconds, type Row, type Side } from "./compare.js";

/** A test makes no long days. */
const days = 10;
const requestsADay = 50;

/** A creation in the test kit, beside a handler of msw that gives one constant. */
export const kitRow: Row = {
  name: "kit",
  measured: "test kit: create under msw",
  shown: milliseconds,
  async sides(stage) {
    const mock = mockQueueApi();
    stage.atEnd(() => mock.close());
    const limits = { requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000 };
    const { key } = await mock.keys.create({ days: 365, ...limits });
    const url = `${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`;
    const body = JSON.stringify({ name: "Customer 9", phone: "919800000009" });
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const side = (handlers: readonly RequestHandler[]): Side => {
      const server = setupServer(...handlers);
      return async () => {
        server.listen({ onUnhandledRequest: "error" });
        const began = performance.now();
        for (let request = 0; request < days * requestsADay; request++) {
          if (request % requestsADay === 0) mock.clock.advance("1d");
          const order = { ...headers, "Idempotency-Key": crypto.randomUUID() };
          const answer = await fetch(url, { method: "POST", headers: order, body });
          if (answer.status !== 201) throw new Error(`${url} was answered ${answer.status}`);
          await answer.json();
        }
        const elapsed = performance.now() - began;
        server.close();
        return elapsed / (days * requestsADay);
      };
    };
    const constant = http.post(url, () => HttpResponse.json({ data: {} }, { status: 201 }));
    const rivals = [{ against: "a handler with a constant", max: 2, side: side([constant]) }];
    return { ours: side(mock.handlers), rivals };
  },
};
