import { mockQueueApi } from "@queue-api/testkit";
import { describe, expect, test, vi } from "vitest";
import { InvalidRequestError, QueueApi } from "../../sdk/src/index.js";
import {
  anEntry,
  anError,
  apiKey,
  customer1,
  entryId,
  giving,
  queueId,
  usedUp,
} from "./support/examples.js";
import { World } from "./support/world.js";

const baseUrl = "http://queue.example";

describe("a request to any endpoint", () => {
  test("returns the JSON of the response, and the Response", async () => {
    const { baseUrl, fetch, key, ids, requests } = mockQueueApi();
    const { api } = new World({ baseUrl, fetch, apiKey: key() });
    const options = { query: { status: "NO_SHOW", limit: 5, date: undefined } };
    const path = `/v1/queues/${ids.queue("front")}/entries`;
    const { data, response } = await api.request("GET", path, options).withResponse();
    expect(data).toEqual({ data: [], nextCursor: null });
    expect(response.status).toBe(200);
    expect(requests[0]?.query).toEqual({ status: "NO_SHOW", limit: "5" });
    const creation = { body: customer1, idempotencyKey: "desk-00000001" };
    const made = await api.request("POST", path, creation).withResponse();
    expect(made).toMatchObject({ data: { data: { token: "A5" } }, replayed: false });
    expect(await api.request("GET", "/v1")).toMatchObject({ data: { apiVersion: "v1" } });
    await expect(api.request("GET", `/v1/tickets/${entryId}`)).rejects.toMatchObject({
      name: "NotFoundError",
      message: `GET /v1/tickets/${entryId}: 404 not_found: There is no such resource.`,
      operation: "request",
      method: "GET",
      path: `/v1/tickets/${entryId}`,
    });
  });

  test("can have a response without a body", async () => {
    const fetch = async () => new Response(null, { status: 204 });
    const api = new QueueApi({ apiKey, baseUrl, fetch });
    expect(await api.request("DELETE", `/v1/entries/${entryId}`)).toBeUndefined();
  });

  test.each<[string, Parameters<QueueApi["request"]>]>([
    ["method", ["FETCH" as never, "/v1/queues"]],
    ["path", ["GET", "v1/queues"]],
    ["path", ["GET", "/v1/queues?limit=5"]],
    ["path", ["GET", "/v1/queues/../../admin"]],
    ["path", ["GET", "/v1/queues/%2e%2E/admin"]],
    ["path", ["GET", `/v1/${apiKey}`]],
    ["body", ["GET", "/v1/queues", { body: {} }]],
  ])("with a wrong %s fails before anything is sent", async (field, args) => {
    const fetch = vi.fn();
    const failure = await new QueueApi({ apiKey, baseUrl, fetch })
      .request(...args)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidRequestError);
    expect(failure).toMatchObject({ attempts: 0, details: [{ field }] });
    expect(String(failure)).not.toContain(apiKey);
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe("a copy with other options", () => {
  test("replaces the options of the client, and adds its headers", async () => {
    const fetch = giving(anError("internal_error"), { status: 500 });
    const { api } = new World({ fetch, headers: { "X-Site": "one" }, maxRetries: 0 });
    const copy = api.withOptions({ headers: { "X-Desk": "A" }, maxRetries: undefined });
    await expect(copy.queues.list()).rejects.toMatchObject({ attempts: 1 });
    const headers = { "x-site": "one", "x-desk": "A" };
    expect(fetch.mock.lastCall?.[1]).toMatchObject({ headers });
    const again = copy.withOptions({ headers: { "x-desk": "B" } });
    await again
      .withOptions({ headers: { "X-Desk": "C" } })
      .queues.list()
      .catch(() => {});
    expect(fetch.mock.lastCall?.[1]).toMatchObject({ headers: { "x-desk": "C" } });
    expect(() => copy.withOptions({ timeoutMs: -1 })).toThrow("The option timeoutMs");
  });

  test("shares the pacing of its key only", async () => {
    const fetch = giving({ data: [] }, { headers: usedUp(1, 60) });
    const world = new World({ baseUrl, fetch, totalTimeoutMs: Number.POSITIVE_INFINITY });
    await world.run(world.api.queues.list());
    await world.run(world.api.withOptions({ apiKey: "svc_live_another_key" }).queues.list());
    expect(performance.now()).toBe(0);
    await world.run(world.api.withOptions({ maxRetries: 1 }).queues.list());
    expect(performance.now()).toBeGreaterThan(58_000);
  });
});

test("an idempotency key from a text is the SHA-256 of the text, in every release", async () => {
  const fetch = giving({ data: anEntry() }, { status: 201 });
  const { api } = new World({ fetch });
  const from = "wamid.HBgMOTE5ODAwMDAwMDAxFQIAEhgUM0E5QjY4.Zm9yIHRlc3Rz.0001";
  for (const text of ["abc", "चाय ☕", from]) {
    await api.entries.create(queueId, customer1, { idempotencyKey: { from: text } });
  }
  const keys = fetch.mock.calls.map(([, { headers }]) =>
    new Headers(headers).get("idempotency-key"),
  );
  expect(keys).toEqual([
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", // FIPS 180-2
    "23aee365812b44da8fdef46753b749b0eb70e310772320be61830959ec8ea72c",
    "e69094e1f744f48c2cfebb02ee2ed55b16e5b04253755da53f3c6e95c05690cb",
  ]);
});

test("the error of a creation with a key from a text has the key that was sent", async () => {
  const fetch = giving(anError("queue_paused"), { status: 409 });
  const { api } = new World({ fetch });
  const creation = api.entries.create(queueId, customer1, { idempotencyKey: { from: "abc" } });
  await expect(creation).rejects.toMatchObject({
    idempotencyKey: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  });
});

test("a creation with serviceId null sends no service", async () => {
  const fetch = giving({ data: anEntry() }, { status: 201 });
  const { api } = new World({ fetch });
  await api.entries.create(queueId, { ...customer1, serviceId: null });
  expect(fetch.mock.lastCall?.[1].body).toBe(JSON.stringify(customer1));
});
