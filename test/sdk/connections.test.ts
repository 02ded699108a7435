import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ConnectionError, QueueApi, version } from "../../sdk/src/index.js";
import { temporaryFolder } from "../support/folder.js";
import { selfSigned } from "./support/certificate.js";
import { anEntry, apiKey, customer1, entryId, queueId } from "./support/examples.js";
import { always, FaultServer, httpAnswer } from "./support/fault-server.js";
import { World } from "./support/world.js";

const run = promisify(execFile);
const entry = { data: anEntry() };
const ok = httpAnswer(200, JSON.stringify(entry));

describe("requests are sent by", () => {
  afterEach(() => vi.unstubAllGlobals());

  const fetched = () => vi.fn(async (_url: unknown, _init?: RequestInit) => Response.json(entry));

  test("the global fetch at the time of the request", async () => {
    const server = await FaultServer.start(always(200, entry));
    const { api } = World.of(server);
    const fetch = fetched();
    vi.stubGlobal("fetch", fetch);
    await api.entries.get(entryId);
    expect(server.requests).toEqual([]);
    vi.unstubAllGlobals();
    await api.entries.get(entryId);
    expect(server.requests).toHaveLength(1);
    expect(fetch).toHaveBeenCalledOnce();
  });

  test("the option fetch alone, which receives a URL string and a plain init with cache: no-store", async () => {
    const [fetch, global] = [fetched(), fetched()];
    vi.stubGlobal("fetch", global);
    const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch });
    await api.entries.create(queueId, customer1, { idempotencyKey: "kiosk-7-0042" });
    expect(global).not.toHaveBeenCalled();
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe(`http://queue.example/v1/queues/${queueId}/entries`);
    expect(init).toEqual({
      method: "POST",
      headers: {
        accept: "application/json",
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": "kiosk-7-0042",
        "user-agent": `queue-api-sdk/${version}`,
      },
      body: JSON.stringify(customer1),
      signal: expect.any(AbortSignal),
      redirect: "manual",
      cache: "no-store",
    });
  });
});

test("the global dispatcher of undici is used", async () => {
  const server = await FaultServer.start(always(200, entry));
  const own = getGlobalDispatcher();
  const mock = new MockAgent();
  mock.disableNetConnect();
  mock
    .get(server.url)
    .intercept({ path: `/v1/entries/${entryId}` })
    .reply(200, entry, { headers: { "content-type": "application/json" } });
  setGlobalDispatcher(mock);
  onTestFinished(() => setGlobalDispatcher(own));
  expect(await World.of(server).api.entries.get(entryId)).toEqual(anEntry());
  expect(server.requests).toEqual([]);
  await mock.close();
});

describe("an error of fetch that is not a network failure", () => {
  class DynamicServerError extends Error {
    readonly digest = "DYNAMIC_SERVER_USAGE";
  }

  test.each([
    ["a control-flow error of a framework", new DynamicServerError("Dynamic server usage")],
    ["a bug", new TypeError("Cannot read properties of undefined (reading 'body')")],
    ["an object that is not an Error", { digest: "BAILOUT_TO_CLIENT_SIDE_RENDERING" }],
    ["an error of the file system", Object.assign(new Error("no file"), { code: "ENOENT" })],
  ])("is passed on unchanged, without a retry: %s", async (_, thrown) => {
    const fetch = vi.fn(() => Promise.reject(thrown));
    const world = new World({ baseUrl: "http://queue.example", fetch });
    expect(await world.failure(world.api.entries.get(entryId))).toBe(thrown);
    expect(fetch).toHaveBeenCalledOnce();
    expect(world.responses).toMatchObject([{ attempt: 1, status: null }]);
    expect(world.clock.pending).toBe(0);
  });

  const part = { status: 200, headers: { get: () => null }, text: async () => "" };
  const headers = new Headers({ "Content-Type": "application/json" });

  test.each([
    ["nothing", undefined],
    ["a part of a Response", part],
    ["a part of a Response that failed", { ...part, status: 503 }],
    ["a Response without ok", { ...part, headers, clone: () => part }],
  ])("is reported when fetch returns %s", async (_, returned) => {
    const fetch = vi.fn(async () => returned as unknown as Response);
    const world = new World({ baseUrl: "http://queue.example", fetch });
    const failure = await world.failure(world.api.entries.get(entryId));
    expect(failure).toEqual(
      new TypeError("The fetch that the client was given returned no Response."),
    );
    expect(fetch).toHaveBeenCalledOnce();
  });
});

describe("a network failure", () => {
  const coded = (code: string) => Object.assign(new Error("it failed"), { code });

  test.each([
    ["Node", new TypeError("fetch failed", { cause: coded("ECONNREFUSED") })],
    ["Node, without a code", new TypeError("fetch failed", { cause: new Error("bad port") })],
    [
      "Bun",
      Object.assign(new TypeError("ECONNRESET: The socket was closed."), { code: "ECONNRESET" }),
    ],
    ["Deno", new TypeError("error sending request for url (http://queue.example/)")],
    ["Chromium, and msw", new TypeError("Failed to fetch")],
    ["Firefox", new TypeError("NetworkError when attempting to fetch resource.")],
    ["Safari", new TypeError("Load failed")],
    ["Cloudflare's workers", new Error("Network connection lost.")],
    ["a library with Node's codes", coded("ECONNRESET")],
    ["a timeout of fetch itself", new DOMException("It took too long.", "TimeoutError")],
  ])("is recognized by the thrown error: %s", async (_, thrown) => {
    const fetch = vi.fn(() => Promise.reject(thrown));
    const world = new World({ baseUrl: "http://queue.example", fetch, maxRetries: 1 });
    expect(await world.failure(world.api.entries.get(entryId))).toBeInstanceOf(ConnectionError);
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});

const certificate = selfSigned();

describe.skipIf(!certificate)(`over HTTPS${certificate ? "" : " (needs openssl)"}`, () => {
  const pem = certificate ?? "";

  async function serving() {
    const server = https.createServer({ cert: pem, key: pem }, (_, response) => {
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(entry));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("a certificate without a trusted authority is refused", async () => {
    const baseUrl = await serving();
    const world = new World({ baseUrl, maxRetries: 0 });
    expect(await world.failure(world.api.entries.get(entryId))).toMatchObject({
      name: "ConnectionError",
      message: `entries.get: no response from ${new URL(baseUrl).host}: the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    });
  });

  test("a server without TLS and an unreachable server have different errors", async () => {
    const server = http.createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const world = new World({ baseUrl, maxRetries: 0 });
    expect(await world.failure(world.api.entries.get(entryId))).toMatchObject({
      name: "ConnectionError",
      message: expect.stringMatching(
        /^entries\.get: no response from 127\.0\.0\.1:\d+: the server does not speak TLS \([A-Z_]+\)\.$/,
      ),
    });
  });

  test("NODE_EXTRA_CA_CERTS can add the authority of the certificate", async () => {
    const file = join(temporaryFolder(), "ca.pem");
    await writeFile(file, pem);
    expect(await programAt(await serving(), { NODE_EXTRA_CA_CERTS: file })).toBe("WAITING\n");
  });
});

test("a program ends with its last call, although the service keeps the connections open", async () => {
  const server = await FaultServer.start((connection, { path }) =>
    path.endsWith(entryId) ? connection.write(ok) : connection.hang(),
  );
  expect(await programAt(server.url)).toBe("WAITING\n"); // otherwise it is killed
});

/** The output of a program that makes a call and aborts another one. It is killed after 60 s. */
async function programAt(baseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const program = fileURLToPath(new URL("support/two-calls.js", import.meta.url));
  const { stdout } = await run(process.execPath, [program, baseUrl], {
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return stdout;
}
