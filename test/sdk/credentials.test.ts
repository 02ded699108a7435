import { describe, expect, test, vi } from "vitest";
import { QueueApi, type QueueApiOptions } from "../../sdk/src/index.js";
import { anError } from "./support/examples.js";

const keyOf = (version: number) => `svc_live_key_number_${version}_secret`;

/** A client of a service that accepts one key at a time. */
function rotated(options: QueueApiOptions = {}) {
  const state = { valid: 1, stored: 1 };
  const sent: string[] = [];
  const fetch = async (_: string, { headers }: { headers: Record<string, string> }) => {
    sent.push(headers.authorization ?? "");
    if (headers.authorization === `Bearer ${keyOf(state.valid)}`)
      return Response.json({ data: [] });
    return Response.json(anError("unauthorized"), { status: 401 });
  };
  const apiKey = vi.fn(async () => keyOf(state.stored));
  const api = new QueueApi({ baseUrl: "http://queue.example", apiKey, fetch, ...options });
  return { api, apiKey, sent, state };
}

describe("a function as the API key", () => {
  test("is called once, at the first call", async () => {
    const { api, apiKey } = rotated();
    expect(apiKey).not.toHaveBeenCalled();
    await Promise.all([api.queues.list(), api.services.list()]);
    await api.queues.list();
    expect(apiKey).toHaveBeenCalledTimes(1);
  });

  test("is called again after a 401, once for all calls, and the requests are sent with the new key", async () => {
    const { api, apiKey, sent, state } = rotated();
    await api.queues.list();
    Object.assign(state, { valid: 2, stored: 2 });
    await Promise.all([api.queues.list(), api.queues.list(), api.services.list()]);
    expect(apiKey).toHaveBeenCalledTimes(2);
    expect(sent.slice(-3)).toEqual(Array(3).fill(`Bearer ${keyOf(2)}`));
  });

  test("that returns the refused key again fails with the 401", async () => {
    const { api, sent, state } = rotated();
    state.valid = 2;
    await expect(api.queues.list()).rejects.toMatchObject({ name: "AuthenticationError" });
    expect(sent).toHaveLength(1);
    state.stored = 2;
    expect(await api.queues.list()).toEqual([]);
  });

  test("is asked for the next call when retries are disabled", async () => {
    const { api, state } = rotated({ maxRetries: 0 });
    await api.queues.list();
    Object.assign(state, { valid: 2, stored: 2 });
    await expect(api.queues.list()).rejects.toMatchObject({ attempts: 1 });
    expect(await api.queues.list()).toEqual([]);
  });

  test("that does not answer ends no later than the call, and is called again for the next one", async () => {
    const { api, apiKey } = rotated();
    apiKey.mockImplementation(() => new Promise(() => {}));
    const late = api.queues.list({ totalTimeoutMs: 1 });
    await expect(late).rejects.toMatchObject({ clock: "total", outcome: "none" });
    const aborted = api.queues.list({ signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: "AbortError", outcome: "none" });
    apiKey.mockImplementation(async () => keyOf(1));
    expect(await api.queues.list()).toEqual([]);
    expect(apiKey).toHaveBeenCalledTimes(3);
  });

  test("that throws fails the call with its error, and is called again for the next one", async () => {
    const { api, apiKey } = rotated();
    const broken = new Error("the secret store is down");
    apiKey.mockRejectedValueOnce(broken);
    await expect(api.queues.list()).rejects.toBe(broken);
    expect(await api.queues.list()).toEqual([]);
  });

  test("must return a key", async () => {
    const { api } = rotated({ apiKey: () => "" });
    await expect(api.queues.list()).rejects.toThrow("The function apiKey returned no key.");
  });

  test("is masked in the answers of gateways", async () => {
    const fetch = async () => new Response(`${keyOf(1)} and ${keyOf(2)}`, { status: 502 });
    const keys = [keyOf(1), keyOf(2)];
    const { api } = rotated({ fetch, apiKey: () => keys[0] ?? "", maxRetries: 0 });
    const error = await api.queues.list().catch((error: unknown) => error);
    expect(error).toMatchObject({ responseText: `[hidden] and ${keyOf(2)}` });
  });
});

describe("the options of fetch", () => {
  /** The init of a request of a client with these options. */
  async function initOf(fetchOptions?: Record<string, unknown>) {
    const fetch = vi.fn(async (_url: string, _init: object) => Response.json({ data: [] }));
    const { api } = rotated({ fetch, fetchOptions });
    await api.queues.list();
    return fetch.mock.calls[0]?.[1];
  }

  test("are part of each request, beside what the client sets", async () => {
    const dispatcher = {};
    expect(await initOf({ dispatcher })).toMatchObject({
      dispatcher,
      method: "GET",
      redirect: "manual",
      cache: "no-store",
    });
  });

  test.each([{ next: { revalidate: 3600 } }, { cache: "force-cache" }])(
    "can allow a cache: %j",
    async (options) => {
      const init = await initOf(options);
      expect(init).toMatchObject(options);
      expect({ cache: undefined, ...init }.cache).not.toBe("no-store");
    },
  );
});
