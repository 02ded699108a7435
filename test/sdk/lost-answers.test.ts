import { type FaultName, mockQueueApi, type RouteName } from "@queue-api/testkit";
import { describe, expect, test } from "vitest";
import { ConnectionError } from "../../sdk/src/errors.js";
import { anEntry, customer1, entryId, queueId } from "./support/examples.js";
import { FaultServer, httpAnswer } from "./support/fault-server.js";
import { World } from "./support/world.js";

const create = "POST /v1/queues/:queueId/entries";
const cancel = "POST /v1/entries/:entryId/cancel";
const get = "GET /v1/entries/:entryId";

/** A client of the service in the test kit, with faults for its next requests, and what it sends after them. */
function visitor(...faults: (readonly [RouteName, FaultName])[]) {
  const mock = mockQueueApi();
  const client = (apiKey: string) =>
    new World({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch });
  const world = client(mock.key("kiosk"));
  for (const [route, fault] of faults) mock.faults.next(route, fault as "html");
  const sent = () => mock.requests.map(({ route }) => route);
  return {
    mock,
    client,
    world,
    sent,
    front: mock.ids.queue("front"),
    first: mock.ids.entry("first"),
  };
}

test.each(["reset", "close"] as const)(
  "a creation whose response is cut by a TCP %s, after any byte, is requested again with its key",
  async (how) => {
    const headers = { Location: `https://queue.example/v1/entries/${entryId}` };
    const answer = httpAnswer(201, JSON.stringify({ data: anEntry() }), headers);
    const asked = new Map<string, number>();
    const server = await FaultServer.start((connection, request) => {
      const key = request.headers.get("idempotency-key") ?? "";
      const bytes = asked.size;
      const times = asked.get(key) ?? 0;
      asked.set(key, times + 1);
      if (times > 0) connection.write(answer);
      else connection.write(answer.slice(0, bytes))[how]();
    });
    const world = World.of(server, { pacing: false });
    const calls = Array.from(answer, () => world.api.entries.create(queueId, customer1));
    expect(await world.run(Promise.all(calls))).toEqual(calls.map(() => anEntry()));
    expect([...asked.values()]).toEqual(calls.map(() => 2));
  },
);

describe("a creation whose response is lost", () => {
  test.each(["reset-before", "reset-after-commit", "truncated", "in-progress"] as const)(
    "by %s ends with the one entry",
    async (fault) => {
      const { world, front, sent } = visitor([create, fault]);
      const { id } = await world.run(world.api.entries.create(front, customer1));
      const waiting = await world.run(world.api.entries.list(front, { status: "WAITING" }).all());
      expect(waiting.slice(2).map((entry) => entry.id)).toEqual([id]);
      expect(sent().slice(0, 2)).toEqual([create, create]);
    },
  );

  test("on every attempt fails with the key, with which the same creation can be requested later", async () => {
    const { world, front } = visitor([create, "reset-after-commit"]);
    const call = world.api.entries.create(front, customer1, { maxRetries: 0 });
    const { idempotencyKey } = (await world.failure(call)) as ConnectionError;
    expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    const again = { idempotencyKey: idempotencyKey ?? "" };
    const repeated = world.api.entries.create(front, customer1, again).withResponse();
    expect(await world.run(repeated)).toMatchObject({ data: { token: "A5" }, replayed: true });
  });
});

describe("a cancellation whose response is lost", () => {
  test.each<[string, (readonly [RouteName, FaultName])[], RouteName[]]>([
    [
      "succeeds when a read shows the entry as CANCELED",
      [[cancel, "reset-after-commit"]],
      [cancel, get],
    ],
    [
      "reads again when that response is lost too",
      [
        [cancel, "reset-after-commit"],
        [get, "reset-before"],
      ],
      [cancel, get, get],
    ],
    [
      "is sent again when a read shows the entry as WAITING",
      [[cancel, "reset-before"]],
      [cancel, get, cancel],
    ],
  ])("%s", async (_, faults, requests) => {
    const { world, first, sent } = visitor(...faults);
    const canceled = await world.run(world.api.entries.cancel(first));
    expect(canceled).toMatchObject({ id: first, status: "CANCELED" });
    expect(canceled).not.toHaveProperty("position");
    expect(sent()).toEqual(requests);
  });

  test("fails with the connection error when no attempt remains for the read", async () => {
    const { world, first, sent } = visitor([cancel, "reset-after-commit"]);
    const call = world.api.entries.cancel(first, { maxRetries: 0 });
    expect(await world.failure(call)).toBeInstanceOf(ConnectionError);
    expect(sent()).toEqual([cancel]);
  });

  test("is a conflict when the entry has been called since", async () => {
    const { mock, world, first, sent } = visitor([cancel, "reset-before"]);
    const call = world.api.entries.cancel(first);
    await world.retry(call, "connection");
    await mock.entries.call(first);
    expect(await world.failure(call)).toMatchObject({ name: "ConflictError", attempts: 4 });
    expect(sent()).toEqual([cancel, get, cancel, get]);
  });

  test("fails with the connection error when the key has no scope to read", async () => {
    const { mock, client, first } = visitor([cancel, "reset-after-commit"]);
    const { key } = await mock.keys.create({ scopes: ["queue:write"] });
    const world = client(key);
    const failure = await world.failure(world.api.entries.cancel(first));
    expect(failure).toMatchObject({ name: "ConnectionError", attempts: 2 });
  });
});
