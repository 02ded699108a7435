import { mockQueueApi } from "@queue-api/testkit/msw";
import { HttpResponse, http, type RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { milliseconds, type Row } from "./compare.js";

/** A test makes no long days. */
const days = 10;
const requestsADay = 50;

/** Milliseconds of one creation that msw sends to these handlers: the mean of some days. */
async function creation(
  handlers: readonly RequestHandler[],
  url: string,
  key: string,
  nextDay: () => void,
) {
  const body = JSON.stringify({ name: "Customer 9", phone: "919800000009" });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const server = setupServer(...handlers);
  server.listen({ onUnhandledRequest: "error" });
  const began = performance.now();
  for (let request = 0; request < days * requestsADay; request++) {
    if (request % requestsADay === 0) nextDay();
    const order = { "Idempotency-Key": crypto.randomUUID() };
    const answer = await fetch(url, { method: "POST", headers: { ...headers, ...order }, body });
    if (answer.status !== 201) throw new Error(`${url} was answered ${answer.status}`);
    await answer.json();
  }
  const elapsed = performance.now() - began;
  server.close();
  return elapsed / (days * requestsADay);
}

/** A creation in the test kit, beside a handler of msw that gives one constant. */
export const kitRow: Row = {
  name: "kit",
  async measure(stage, { rounds }) {
    const mock = mockQueueApi();
    stage.atEnd(() => mock.close());
    const { key } = await mock.keys.create({
      days: 365,
      requestsPerMinute: 1_000_000,
      writesPerMinute: 1_000_000,
    });
    const url = `${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`;
    const constant = [http.post(url, () => HttpResponse.json({ data: {} }, { status: 201 }))];
    const nextDay = () => mock.clock.advance("1d");
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      ours.push(await creation(mock.handlers, url, key, nextDay));
      theirs.push(await creation(constant, url, key, nextDay));
    }
    return [
      {
        measured: "test kit: create under msw",
        against: "a handler with a constant",
        goal: { most: 2 },
        shown: milliseconds,
        ours: ours.slice(1), // the first round warms up
        theirs: theirs.slice(1),
      },
    ];
  },
};
