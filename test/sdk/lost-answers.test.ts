import { mockQueueApi } from "@queue-api/testkit";
import { describe, expect, test } from "vitest";
import { ConflictError, ConnectionError } from "../../sdk/src/errors.js";
import { anEntry, customer1, entryId, queueId } from "./support/examples.js";
import { faultServer, httpAnswer } from "./support/fault-server.js";
import { World } from "./support/world.js";

test.each(["resetAndDestroy", "end"] as const)(
  "a creation whose response is cut by %s, after any byte, is requested again with its key",
  async (how) => {
    const headers = { Location: `https://queue.example/v1/entries/${entryId}` };
    const answer = httpAnswer(201, JSON.stringify({ data: anEntry() }), headers);
    const asked = new Map<string, number>();
    const server = await faultServer((socket, request) => {
      const key = String(request.headers["idempotency-key"]);
      const bytes = asked.size;
      const times = asked.get(key) ?? 0;
      asked.set(key, times + 1);
      socket.write(times > 0 ? answer : answer.slice(0, bytes));
      if (times === 0) socket[how]();
    });
    const world = World.of(server, { pacing: false });
    const calls = Array.from(answer, () => world.api.entries.create(queueId, customer1));
    expect(await world.run(Promise.all(calls))).toEqual(calls.map(() => anEntry()));
    expect([...asked.values()]).toEqual(calls.map(() => 2));
  },
);

const create = "POST /v1/queues/:queueId/entries";
const cancel = "POST /v1/entries/:entryId/cancel";

/** A client of the service in the test kit, which loses responses on request. */
function visitor() {
  const mock = mockQueueApi();
  const client = (apiKey = mock.key()) =>
    new World({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch });
  const world = client();
  const front = mock.ids.queue("front");
  const take = (options = {}) => world.api.entries.create(front, customer1, options);
  return { mock, client, world, front, take };
}

test("a creation that fails has the key, with which it can be requested later", async () => {
  const { mock, world, front, take } = visitor();
  mock.faults.next(create, "reset-after-commit");
  const failure = await world.failure(take({ maxRetries: 0 }));
  expect(failure).toBeInstanceOf(ConnectionError);
  const { idempotencyKey } = failure as ConnectionError;
  expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  const { id } = await world.run(take({ idempotencyKey }));
  const entries = await world.run(world.api.entries.list(front).all());
  expect(entries.slice(4)).toMatchObject([{ id }]); // those that are not of the seed
});

describe("a cancellation whose response is lost", () => {
  async function waiting() {
    const { mock, client, world, take } = visitor();
    const { id } = await world.run(take());
    const sent = () => world.responses.slice(1).map(({ operation }) => operation);
    return { mock, client, world, id, sent };
  }

  test.each([
    ["succeeds when a read shows the entry as CANCELED", cancel, "after-commit", 1, ["get"]],
    ["reads again when that response is lost too", "*", "after-commit", 2, ["get", "get"]],
    ["is sent again when a read shows it as WAITING", cancel, "before", 1, ["get", "cancel"]],
  ] as const)("%s", async (_, route, when, times, next) => {
    const { mock, world, id, sent } = await waiting();
    mock.faults.next(route, `reset-${when}`, { times });
    const canceled = await world.run(world.api.entries.cancel(id));
    expect(canceled).toMatchObject({ id, status: "CANCELED" });
    expect(canceled).not.toHaveProperty("position");
    expect(sent()).toEqual(["cancel", ...next].map((method) => `entries.${method}`));
  });

  test("but that is a second one is a conflict, and reads nothing, if no response was lost", async () => {
    const { mock, world, take } = visitor();
    const { id } = await world.run(take());
    await world.run(world.api.entries.cancel(id));
    expect(await world.failure(world.api.entries.cancel(id))).toBeInstanceOf(ConflictError);
    expect(mock.requests.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
  });

  test("fails with the connection error when no attempt remains for the read", async () => {
    const { mock, world, id, sent } = await waiting();
    mock.faults.next(cancel, "reset-after-commit");
    const call = world.api.entries.cancel(id, { maxRetries: 0 });
    expect(await world.failure(call)).toBeInstanceOf(ConnectionError);
    expect(sent()).toEqual(["entries.cancel"]);
  });

  test("is a conflict when the entry has been called since", async () => {
    const { mock, world, id, sent } = await waiting();
    mock.faults.next(cancel, "reset-before");
    const call = world.api.entries.cancel(id);
    await world.until(() => world.retries.length > 0);
    await mock.entries.call(id);
    expect(await world.failure(call)).toMatchObject({ name: "ConflictError", attempts: 4 });
    expect(sent()).toEqual(["entries.cancel", "entries.get", "entries.cancel", "entries.get"]);
  });

  test("fails with the connection error when the key has no scope to read", async () => {
    const { mock, client, id } = await waiting();
    const world = client((await mock.keys.create({ scopes: ["queue:write"] })).key);
    mock.faults.next(cancel, "reset-after-commit");
    const failure = await world.failure(world.api.entries.cancel(id));
    expect(failure).toMatchObject({ name: "ConnectionError", attempts: 2 });
  });
});
