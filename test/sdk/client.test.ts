import { afterEach, describe, expect, test, vi } from "vitest";
import { InvalidOptionError, QueueApi, version } from "../../sdk/src/index.js";
import { anEntry, apiKey, entryId, giving, requestId } from "./support/examples.js";
import { always, faultServer } from "./support/fault-server.js";
import { World } from "./support/world.js";

afterEach(() => vi.unstubAllEnvs());

describe("the options", () => {
  const address = { apiKey, baseUrl: "http://queue.example" };

  test("key and base URL default to the environment", async () => {
    vi.stubEnv("QUEUE_API_KEY", "svc_live_from_env");
    vi.stubEnv("QUEUE_API_BASE_URL", "http://env.example");
    const fetch = giving({ data: [] });
    await new QueueApi({ fetch }).queues.list();
    await new QueueApi({ fetch, apiKey }).queues.list();
    const authorization = ["Bearer svc_live_from_env", `Bearer ${apiKey}`];
    expect(fetch.mock.calls).toMatchObject(
      authorization.map((it) => [
        "http://env.example/v1/queues",
        { headers: { authorization: it } },
      ]),
    );
  });

  test.each([
    [["QUEUE_API_KEY"], "There is no API key: give apiKey, or set QUEUE_API_KEY."],
    [["QUEUE_API_BASE_URL"], "The base URL is missing: give baseUrl, or set QUEUE_API_BASE_URL."],
    [
      ["QUEUE_API_KEY", "QUEUE_API_BASE_URL"],
      "The API key and the base URL are missing: give apiKey and baseUrl, or set QUEUE_API_KEY and QUEUE_API_BASE_URL.",
    ],
  ])("without %j, a client can be created, and its first call fails", async (names, message) => {
    const given = { QUEUE_API_KEY: apiKey, QUEUE_API_BASE_URL: address.baseUrl };
    for (const [name, value] of Object.entries(given)) {
      vi.stubEnv(name, names.includes(name) ? "" : value);
    }
    const logger = { debug() {}, warn() {}, info: vi.fn() };
    const api = new QueueApi({ fetch: giving({ data: [] }), logger });
    const facts = {
      name: "InvalidOptionError",
      operation: "queues.list",
      method: "GET",
      path: "/v1/queues",
    };
    const named = `queues.list: ${message}`;
    await expect(api.queues.list()).rejects.toMatchObject({ message: named, ...facts });
    expect(logger.info).toHaveBeenCalledExactlyOnceWith(`queue-api: ${named}`, expect.anything());
    for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
    expect(await api.queues.list()).toEqual([]);
  });

  const known = (names: string) => `is unknown (known: ${names}`;

  test.each<[unknown, string]>([
    [{ baseUrl: "queue.example" }, "baseUrl must be an address"],
    [{ baseUrl: "ftp://queue.example" }, "baseUrl must be an address"],
    [{ baseUrl: "http://me:secret@queue.example" }, "no user, no query and no fragment"],
    [{ apiKey: "" }, "apiKey must be a text that is not empty"],
    [{ baseUrl: "" }, "baseUrl must be a text that is not empty"],
    [{ fetch: "https://queue.example" }, "The option fetch must be a function."],
    [{ logger: { debug() {} } }, "The option logger must have the functions debug and warn."],
    [{ hooks: [{}, { onWait: true }] }, "The option hooks.onWait must be a function."],
    [{ hooks: [null] }, "The option hooks must be an object, or a list of them."],
    [{ hooks: "x" }, "The option hooks must be an object, or a list of them."],
    [{ timeout: 5 }, `The option timeout ${known("apiKey, baseUrl, timeoutMs, ")}`],
    [{ idempotencyKey: "kiosk-7-0042" }, `The option idempotencyKey ${known("apiKey, ")}`],
    [{ base_url: "x" }, "The option base_url is unknown (did you mean baseUrl?)."],
    [{ pacing: "no" }, "The option pacing must be true or false."],
    [
      { fetchOptions: { signal: null } },
      "The option fetchOptions must hold none of method, headers, body, signal, redirect",
    ],
    [{ logLevel: "loud" }, "The option logLevel must be one of off, error, warn, info, debug."],
    [{ appInfo: { name: "my kiosk" } }, "The option appInfo must have a name"],
    [{ hooks: { onFoo() {} } }, `hooks.onFoo ${known("onRequest, onResponse, onWait).")}`],
    [{ hooks: { onrequest() {} } }, "hooks.onrequest is unknown (did you mean onRequest?)."],
    ["svc_live_x_y", "The options must be an object."],
    [null, "The options must be an object."],
  ])("%j is refused at once, also for a copy", (given, message) => {
    vi.stubEnv("QUEUE_API_KEY", "svc_live_of_somebody_else");
    vi.stubEnv("QUEUE_API_BASE_URL", "http://somebody.example");
    const options = typeof given === "object" && given ? { ...address, ...given } : given;
    const api = new QueueApi(address);
    for (const make of [
      () => new QueueApi(options as never),
      () => api.withOptions(options as never),
    ]) {
      expect(make).toThrow(InvalidOptionError);
      expect(make).toThrow(message);
    }
    expect(() => api.withOptions(undefined as never)).toThrow(InvalidOptionError);
  });

  test("an observer can have other properties, and needs no hooks", () => {
    const counting = { count: 0, onRequest: () => {} };
    const none = { onRequest: undefined, onResponse: undefined, onWait: undefined };
    for (const hooks of [counting, [counting], none, [], undefined]) {
      expect(new QueueApi({ ...address, hooks })).toBeInstanceOf(QueueApi);
    }
  });

  test.each([
    ["https://queue.example", "https://queue.example"],
    ["https://queue.example/", "https://queue.example"],
    ["https://queue.example/v1", "https://queue.example"],
    ["https://example.com/queue%20api//", "https://example.com/queue%20api"],
    ["http://[::1]:3000", "http://[::1]:3000"],
  ])("the address %s is read as %s", async (baseUrl, read) => {
    const fetch = giving({ data: [] });
    await new QueueApi({ apiKey, baseUrl, fetch }).queues.list();
    expect(fetch).toHaveBeenCalledWith(`${read}/v1/queues`, expect.anything());
  });

  test("headers of the client and of the call are sent, and those of the call take precedence", async () => {
    const fetch = giving({ data: [] });
    const { api } = new World({ fetch, headers: { "X-Site": "one", "X-Desk": "A" } });
    await api.queues.list({ headers: { "x-desk": "B" } });
    expect(fetch.mock.lastCall?.[1].headers).toMatchObject({ "x-site": "one", "x-desk": "B" });
  });

  test.each([
    [undefined, ""],
    [{ name: "bot" }, " bot"],
    [{ name: "kiosk", version: "2.3.0+build.5" }, " kiosk/2.3.0+build.5"],
  ])("the user agent has the version, and the appInfo %j", async (appInfo, shown) => {
    const fetch = giving({ data: [] });
    await new World({ fetch, appInfo }).api.queues.list();
    const headers = { "user-agent": `queue-api-sdk/${version}${shown}` };
    expect(fetch.mock.lastCall?.[1]).toMatchObject({ headers });
  });
});

describe("a call", () => {
  test("starts at once, sends one request, and gives the response to each consumer", async () => {
    const answer = always(200, { data: anEntry() }, { "X-Request-Id": requestId });
    const server = await faultServer(answer);
    const world = World.of(server);
    const call = world.api.entries.get(entryId);
    const { data, response, requestId: received } = await world.run(call.withResponse());
    expect(await call).toBe(data);
    expect(data).toEqual(anEntry());
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({ status: 200, url: `${server.url}/v1/entries/${entryId}` });
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(received).toBe(requestId);
    expect(server.requests).toHaveLength(1);
  });

  test("can be made by a method that was taken off its client", async () => {
    const { api } = new World({ fetch: giving({ data: anEntry() }) });
    const { get } = api.entries;
    const { request, withOptions } = api;
    expect(await get(entryId)).toEqual(anEntry());
    expect(await request("GET", "/v1/me")).toEqual({ data: anEntry() });
    expect(withOptions({ maxRetries: 0 })).toBeInstanceOf(QueueApi);
  });

  test("that fails rejects both the response and the data, without an unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { api } = new World({ fetch: giving({}, { status: 404 }) });
    await expect(api.entries.get(entryId).withResponse()).rejects.toThrow("404");
    await expect(api.entries.get(entryId)).rejects.toThrow("404");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
