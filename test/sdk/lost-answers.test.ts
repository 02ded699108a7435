import { afterAll, describe, expect, test } from "vitest";
import { ConnectionError } from "../../sdk/src/errors.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { CuttingProxy } from "./support/cutting-proxy.js";
import { anEntry, customer1, entryId, queueId } from "./support/examples.js";
import { FaultServer, httpAnswer } from "./support/fault-server.js";
import { VirtualClock } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

const beforeCommit = gate();
const afterCommit = gate();

/** A service in which a test can pause each creation before and after its commit. */
const service = await testService({
  usualStore: "memory",
  interpose: held("entries", "create", { before: beforeCommit, after: afterCommit }),
});
const proxy = await CuttingProxy.start(service.url);
afterAll(() => proxy.stop());

/** A clinic and its client behind the proxy, with the same time for both. */
async function visitor() {
  const writer = { ref: "writer", name: "Writer", scopes: ["queue:write"] } as const;
  const clinic = await service.clinic({ keys: [wideKey, writer] });
  const clock = new VirtualClock({
    start: service.now(),
    onTime: (now) => service.clock.set(Math.floor(now)),
  });
  const options = { baseUrl: proxy.url, apiKey: clinic.key() };
  const world = new World(options, { clock });
  const queueId = clinic.queue();
  const entriesKept = () => world.run(world.api.entries.list(queueId).all());
  return { clinic, clock, world, queueId, entriesKept };
}

// The service does not notice how a response is cut, so this test needs no service.
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

describe("a creation whose connection is reset", () => {
  test.each([
    ["before", beforeCommit],
    ["after", afterCommit],
  ])("%s the commit ends with the one entry", async (_, commit) => {
    const { world, queueId, entriesKept } = await visitor();
    commit.close();
    const call = world.api.entries.create(queueId, customer1);
    await commit.reached(1);
    proxy.cutNow();
    commit.open();
    const entry = await world.run(call);
    expect((await entriesKept()).map(({ id }) => id)).toEqual([entry.id]);
  });

  test("during the commit waits for it and ends with the one entry", async () => {
    const { world, queueId, entriesKept } = await visitor();
    beforeCommit.close();
    const call = world.api.entries.create(queueId, customer1);
    await beforeCommit.reached(1);
    proxy.cutNow();
    const { reason, waitMs } = await world.retry(call, "request_in_progress");
    expect(reason).toBe("request_in_progress");
    expect(waitMs).toBeGreaterThanOrEqual(1000);
    beforeCommit.open();
    const entry = await world.run(call);
    expect((await entriesKept()).map(({ id }) => id)).toEqual([entry.id]);
  });

  test("on every attempt fails with the key, with which the same creation can be requested later", async () => {
    const { world, queueId, entriesKept } = await visitor();
    proxy.cutNext(0);
    const call = world.api.entries.create(queueId, customer1, { maxRetries: 0 });
    const failure = await world.failure(call);
    expect(failure).toBeInstanceOf(ConnectionError);
    const { idempotencyKey } = failure as ConnectionError;
    expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    const again = { idempotencyKey: idempotencyKey ?? "" };
    const entry = await world.run(world.api.entries.create(queueId, customer1, again));
    expect((await entriesKept()).map(({ id }) => id)).toEqual([entry.id]);
  });
});

describe("a cancellation whose response is lost", () => {
  async function waiting() {
    const visit = await visitor();
    const entry = await visit.world.run(visit.world.api.entries.create(visit.queueId, customer1));
    const sent = () => visit.world.responses.slice(1).map(({ operation }) => operation);
    return { ...visit, entry, sent };
  }

  test("succeeds when a read shows the entry as CANCELED", async () => {
    const { world, entry, sent } = await waiting();
    proxy.cutNext(10);
    const canceled = await world.run(world.api.entries.cancel(entry.id));
    expect(canceled).toMatchObject({ id: entry.id, status: "CANCELED" });
    expect(canceled).not.toHaveProperty("position");
    expect(sent()).toEqual(["entries.cancel", "entries.get"]);
  });

  test("reads again when that response is lost too", async () => {
    const { world, entry, sent } = await waiting();
    const call = world.api.entries.cancel(entry.id);
    proxy.cutNext(10);
    await world.retry(call, "connection");
    proxy.cutNext(10);
    expect(await world.run(call)).toMatchObject({ status: "CANCELED" });
    expect(sent()).toEqual(["entries.cancel", "entries.get", "entries.get"]);
  });

  test("is sent again when a read shows the entry as WAITING", async () => {
    const { world, entry, sent } = await waiting();
    proxy.refuseNext();
    expect(await world.run(world.api.entries.cancel(entry.id))).toMatchObject({
      status: "CANCELED",
    });
    expect(sent()).toEqual(["entries.cancel", "entries.get", "entries.cancel"]);
  });

  test("fails with the connection error when no attempt remains for the read", async () => {
    const { world, entry, sent } = await waiting();
    proxy.cutNext(10);
    const call = world.api.entries.cancel(entry.id, { maxRetries: 0 });
    expect(await world.failure(call)).toBeInstanceOf(ConnectionError);
    expect(sent()).toEqual(["entries.cancel"]);
  });

  test("is a conflict when the entry has been called since", async () => {
    const { world, queueId, entry, sent } = await waiting();
    const call = world.api.entries.cancel(entry.id);
    proxy.refuseNext();
    await world.retry(call, "connection");
    await service.owner.next(queueId);
    expect(await world.failure(call)).toMatchObject({ name: "ConflictError", attempts: 4 });
    expect(sent()).toEqual(["entries.cancel", "entries.get", "entries.cancel", "entries.get"]);
  });

  test("fails with the connection error when the key has no scope to read", async () => {
    const { clinic, clock, entry } = await waiting();
    const world = new World({ baseUrl: proxy.url, apiKey: clinic.key("writer") }, { clock });
    proxy.cutNext(10);
    const failure = await world.failure(world.api.entries.cancel(entry.id));
    expect(failure).toMatchObject({ name: "ConnectionError", attempts: 2 });
  });
});
