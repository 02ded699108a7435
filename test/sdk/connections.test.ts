import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ConnectionError, QueueApi, QueueApiError } from "../../sdk/src/index.js";
import { selfSigned } from "./support/certificate.js";
import { anEntry, apiKey, customer1, entryId, queueId, requestId } from "./support/examples.js";
import { always, FaultServer, httpAnswer } from "./support/fault-server.js";
import { senders } from "./support/senders.js";
import { World } from "./support/world.js";

const run = promisify(execFile);
const entry = { data: anEntry() };
const ok = httpAnswer(200, JSON.stringify(entry));

describe("requests are sent by", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  const overNode = () => vi.spyOn(http, "request");
  const fetched = () => vi.fn(async () => Response.json(entry));

  test("Node's HTTP client by default, as it stands when the request is sent", async () => {
    const server = await FaultServer.start(always(200, entry));
    const { api } = World.of(server);
    const asked = overNode();
    await api.entries.get(entryId);
    expect(asked).toHaveBeenCalledOnce();
  });

  test("a fetch that is handed in", async () => {
    const [asked, fetch] = [overNode(), fetched()];
    const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch });
    expect(await api.entries.get(entryId)).toEqual(anEntry());
    expect(fetch).toHaveBeenCalledOnce();
    expect(asked).not.toHaveBeenCalled();
  });

  test("the global fetch while undici leads the whole process elsewhere: to a proxy, or a mock", async () => {
    const server = await FaultServer.start(always(200, entry));
    const { api } = World.of(server);
    const own = getGlobalDispatcher();
    const elsewhere = new MockAgent();
    elsewhere.disableNetConnect();
    elsewhere
      .get(server.url)
      .intercept({ path: `/v1/entries/${entryId}` })
      .reply(200, entry, { headers: { "content-type": "application/json" } });
    setGlobalDispatcher(elsewhere);
    try {
      expect(await api.entries.get(entryId)).toEqual(anEntry());
    } finally {
      setGlobalDispatcher(own);
      await elsewhere.close();
    }
    expect(server.requests).toEqual([]);
    await api.entries.get(entryId);
    expect(server.requests).toHaveLength(1);
  });

  test("the global fetch for as long as it is not Node's own", async () => {
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

  test("Node's HTTP client over an agent that is handed in, whatever the global fetch is", async () => {
    const server = await FaultServer.start(always(200, entry));
    vi.stubGlobal("fetch", fetched());
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const { api } = World.of(server, { agent });
    const calls = Array.from({ length: 5 }, () => api.entries.get(entryId));
    expect(server.connections).toBeLessThanOrEqual(1);
    await Promise.all(calls);
    expect(server.requests).toHaveLength(5);
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
  });

  test("not both: a fetch and an agent exclude each other", () => {
    const options = { apiKey, baseUrl: "http://queue.example", fetch, agent: http.globalAgent };
    expect(() => new QueueApi(options)).toThrow(QueueApiError);
  });

  test("no agent where there is no HTTP client of Node", () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    const options = { apiKey, baseUrl: "http://queue.example", agent: http.globalAgent };
    expect(() => new QueueApi(options)).toThrow("The option agent needs Node");
  });

  test("an agent for another protocol in vain", async () => {
    const world = new World({ baseUrl: "https://queue.example", agent: http.globalAgent });
    const failure = await world.failure(world.api.entries.get(entryId, { maxRetries: 0 }));
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ message: "No answer came: ERR_INVALID_PROTOCOL." });
  });
});

describe("a connection of Node's HTTP client", () => {
  test("is shared by all clients, and kept for 45 seconds", async () => {
    const server = await FaultServer.start(always(200, entry));
    const asked = vi.spyOn(http, "request");
    onTestFinished(() => asked.mockRestore());
    for (let client = 0; client < 2; client++) await World.of(server).api.entries.get(entryId);
    const agents = asked.mock.calls.map(([options]) => (options as http.RequestOptions).agent);
    expect(server.connections).toBe(1);
    expect(agents[0]).toBe(agents[1]);
    expect(agents[0]).toMatchObject({ keepAlive: true, options: { timeout: 45_000 } });
  });

  test("serves one request after the other", async () => {
    const server = await FaultServer.start(always(200, entry));
    const { api } = World.of(server);
    for (let call = 0; call < 5; call++) await api.entries.get(entryId);
    expect(server.requests).toHaveLength(5);
    expect(server.connections).toBe(1);
  });

  test("that was closed just before a creation was sent on it is a failure that is retried", async () => {
    const closing: (() => void)[] = [];
    const created = httpAnswer(201, JSON.stringify(entry));
    const server = await FaultServer.start((connection) => {
      connection.write(created);
      closing.push(() => connection.close());
    });
    const world = World.of(server);
    await world.run(world.api.entries.create(queueId, customer1));
    for (const close of closing) close(); // which the client cannot know yet
    await world.run(world.api.entries.create(queueId, customer1));
    expect(world.retries.map(({ reason }) => reason)).toEqual(["connection"]);
    const [, lost, again] = server.requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(again).toBe(lost);
  });
});

describe.each(senders)("with $sender, a connection", ({ options }) => {
  test("can be made to an IPv6 address", async ({ skip }) => {
    const server = http.createServer((_, response) => response.end());
    const listening = once(server, "listening").then(() => true);
    const failed = once(server, "error").then(() => false);
    server.listen(0, "::1");
    onTestFinished(() => void server.close());
    if (!(await Promise.race([listening, failed]))) return skip("this machine has no IPv6");
    const { port } = server.address() as AddressInfo;
    const hosts: unknown[] = [];
    server.removeAllListeners("request").on("request", ({ headers }, response) => {
      hosts.push(headers.host);
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(entry));
    });
    const world = new World({ baseUrl: `http://[::1]:${port}`, ...options });
    expect(await world.run(world.api.entries.get(entryId))).toEqual(anEntry());
    expect(hosts).toEqual([`[::1]:${port}`]);
  });

  test("leads to a path of the host, where the address has one", async () => {
    const server = await FaultServer.start(always(200, { data: [], nextCursor: null }));
    const world = new World({ ...options, baseUrl: `${server.url}/clinics/queue%20api/` });
    await world.run(world.api.entries.list(queueId, { status: "WAITING" }).all());
    expect(server.requests[0]?.path).toBe(
      `/clinics/queue%20api/v1/queues/${queueId}/entries?status=WAITING`,
    );
  });
});

test.each(senders)("with $sender, the answer is there as a Response", async ({ options }) => {
  const answer = always(200, entry, { "X-Request-Id": requestId, "X-Odd": "a" });
  const server = await FaultServer.start(answer);
  const { api } = World.of(server, options);
  const { response } = await api.entries.get(entryId).withResponse();
  expect(response).toBeInstanceOf(Response);
  expect(response).toMatchObject({ status: 200, statusText: "Status", ok: true });
  expect(response.url).toBe(`${server.url}/v1/entries/${entryId}`);
  expect(response.headers.get("x-odd")).toBe("a");
});

describe("over HTTPS", () => {
  const certificate = selfSigned();

  async function serving() {
    const server = https.createServer(certificate, (_, response) => {
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(entry));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("a certificate that nobody vouches for is not accepted", async () => {
    const world = new World({ baseUrl: await serving(), maxRetries: 0 });
    expect(await world.failure(world.api.entries.get(entryId))).toMatchObject({
      name: "ConnectionError",
      message: "No answer came: the certificate is not trusted.",
    });
  });

  test("a server that speaks none is told from one that is not there", async () => {
    const server = http.createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const world = new World({ baseUrl, maxRetries: 0 });
    expect(await world.failure(world.api.entries.get(entryId))).toMatchObject({
      name: "ConnectionError",
      message: "No answer came: no TLS is spoken there, as at an http: address.",
    });
  });

  test("an agent can bring the authority that vouches for it", async () => {
    const agent = new https.Agent({ ca: certificate.cert });
    const world = new World({ baseUrl: await serving(), agent });
    expect(await world.run(world.api.entries.get(entryId))).toEqual(anEntry());
  });

  test("so can NODE_EXTRA_CA_CERTS", async () => {
    const folder = await mkdtemp(join(tmpdir(), "queue-api-ca-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "ca.pem");
    await writeFile(file, certificate.cert);
    expect(await programAt(await serving(), { NODE_EXTRA_CA_CERTS: file })).toBe("WAITING\n");
  });
});

test("a program ends when its calls have, though the service keeps the connections", async () => {
  const server = await FaultServer.start((connection, { path }) =>
    path.endsWith(entryId) ? connection.write(ok) : connection.hang(),
  );
  expect(await programAt(server.url)).toBe("WAITING\n"); // or it would be killed
});

/** What a program prints that makes a call and gives another one up; it is killed after 20 s. */
async function programAt(baseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const program = fileURLToPath(new URL("support/two-calls.js", import.meta.url));
  const { stdout } = await run(process.execPath, [program, baseUrl], {
    env: { ...process.env, ...env },
    timeout: 20_000,
  });
  return stdout;
}
