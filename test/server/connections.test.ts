import type { Config, Store } from "@queue-api/server";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { metricsToken, scrape } from "../observability/support/scrape.js";
import { expectRefusal, expectStatus } from "../support/expect.js";
import { gate } from "../support/gate.js";
import { RawConnection, rawRequest } from "../support/raw.js";
import { startedServer, testService } from "../support/service.js";
import { builtService } from "./support/built-service.js";

const pings = gate();
const waitingPing = (store: Store) => ({
  ping: async () => {
    await pings.pass();
    return store.ping();
  },
});
const service = await testService({ settings: { metricsToken }, interpose: waitingPing });

const get = (path: string) => rawRequest(`GET ${path} HTTP/1.1`, ["Host: queue.example"]);

async function opened(target: Parameters<typeof RawConnection.open>[0] = service) {
  const connection = await RawConnection.open(target);
  onTestFinished(() => connection.cut());
  return connection;
}

/** A connection with a pending request and others behind it. */
async function heldUp(behind: number): Promise<RawConnection> {
  const connection = await opened();
  pings.close();
  onTestFinished(() => pings.open());
  connection.send(get("/readyz") + get("/v1").repeat(behind));
  await pings.reached(1);
  return connection;
}

const inFlight = async () => (await scrape(service)).value("queue_api_http_requests_in_flight");
const indexRequests = async () =>
  (await scrape(service)).samples
    .filter(({ name, labels }) => {
      return name === "queue_api_http_request_duration_seconds_count" && labels.route === "GET /v1";
    })
    .reduce((sum, { value }) => sum + value, 0);

/** Expects that a new connection ends before a request is sent on it. */
async function expectNotTaken(target: Parameters<typeof RawConnection.open>[0]): Promise<void> {
  const ended = RawConnection.open(target).then((connection) => connection.ended());
  await expect(ended.catch((error) => error.code)).resolves.toMatch(/^(ECONNRESET)?$/);
}

/** A service with these limits, whose probe waits at the gate. */
async function limited(settings: Partial<Config>) {
  const { server } = await startedServer("memory:", { settings, interpose: waitingPing });
  return { url: server.url, conformance: service.conformance };
}

async function expectServed(connections: readonly RawConnection[]): Promise<void> {
  for (const connection of connections) {
    connection.send(get("/v1"));
    expectStatus(await connection.answer("GET", "/v1"), 200);
  }
}

describe("pipelined requests", () => {
  test("are answered in order, up to 32 at a time", async () => {
    const connection = await heldUp(31);
    pings.open();
    expect((await connection.answer("GET", "/readyz")).status).toBe(200);
    for (let n = 0; n < 31; n++) {
      expect((await connection.answer("GET", "/v1")).status).toBe(200);
    }
  });

  test("end the connection at 33, and only the first one starts", async () => {
    const before = await indexRequests();
    const connection = await heldUp(32);
    expect(await connection.ended()).toBe("");
    pings.open();
    await expect.poll(inFlight).toBe(1); // the scrape
    expect(await indexRequests()).toBe(before);
  });

  test("wait on all connections together up to 512, which those that are answered or dropped leave", async () => {
    const answer = async (connection: RawConnection) => {
      expect((await connection.answer("GET", "/readyz")).status).toBe(200);
      for (let n = 0; n < 31; n++) {
        expect((await connection.answer("GET", "/v1")).status).toBe(200);
      }
    };
    for (let round = 0; round < 2; round++) {
      pings.close();
      const connections = await Promise.all(Array.from({ length: 16 }, () => opened()));
      for (const connection of connections) connection.send(get("/readyz") + get("/v1").repeat(31));
      await expect.poll(inFlight).toBe(17); // with the scrape
      const last = await opened();
      last.send(get("/readyz") + get("/v1").repeat(17));
      expect(await last.ended()).toBe("");
      for (const connection of connections.splice(0, 8)) connection.cut();
      pings.open();
      for (const connection of connections) await answer(connection);
      await expect.poll(inFlight).toBe(1);
    }
  });

  test("are dropped when the connection is cut", async () => {
    const before = await indexRequests();
    const connection = await heldUp(10);
    expect(await inFlight()).toBe(2); // with the scrape
    const { value } = await scrape(service);
    expect(value("queue_api_http_connections")).toBeGreaterThan(1);
    connection.cut();
    const aborted = async () =>
      (await scrape(service)).value("queue_api_http_request_duration_seconds_count", {
        route: "GET /readyz",
        status: "aborted",
      });
    await expect.poll(aborted).toBeGreaterThanOrEqual(1);
    pings.open();
    await expect.poll(inFlight).toBe(1);
    expect(await indexRequests()).toBe(before);
  });

  test("get no response after 64 KB of unread responses, and the connection ends cleanly", async () => {
    const connection = await opened();
    connection.send(get("/v1/openapi.json").repeat(5));
    const { text } = await connection.answer("GET", "/v1/openapi.json");
    expect(text.length).toBeGreaterThan(65_536);
    expect(await connection.ended()).toBe("");
  });
});

describe("connections", () => {
  test("of one address beyond its limit are refused while the others are new", async () => {
    const target = await limited({ maxConnectionsPerAddress: 3 });
    const connections = await Promise.all([1, 2, 3].map(() => opened(target)));
    await expectNotTaken(target);
    await expectServed(connections);
  });

  test.each([
    ["of one address", { maxConnectionsPerAddress: 3 }],
    ["in all", { maxConnections: 3 }],
  ])(
    "beyond the limit %s end the connection that has been idle for longest",
    async (_, settings) => {
      const clock = vi.spyOn(performance, "now");
      onTestFinished(() => clock.mockRestore());
      const target = await limited(settings);
      const usedAt = async (now: number, connection?: RawConnection) => {
        clock.mockReturnValue(now);
        const used = connection ?? (await opened(target));
        used.send(get("/v1"));
        expectStatus(await used.answer("GET", "/v1"), 200);
        return used;
      };
      const first = await usedAt(0);
      const second = await usedAt(1);
      const third = await usedAt(2);
      await usedAt(6_000, first);

      const newest = await usedAt(6_001);
      expect(await second.ended()).toBe("");
      for (const connection of [first, third, newest]) await usedAt(6_002, connection);

      first.cut(); // leaves its place
      const isServed = () => usedAt(6_003).then(Boolean, () => false);
      await expect.poll(isServed).toBe(true);
      for (const connection of [third, newest]) await usedAt(6_004, connection);
    },
  );

  test("with a pending request are never ended for a newer one", async () => {
    const clock = vi.spyOn(performance, "now");
    onTestFinished(() => clock.mockRestore());
    clock.mockReturnValue(0);
    const target = await limited({ maxConnections: 1 });
    pings.close();
    const busy = await opened(target);
    busy.send(get("/readyz"));
    await pings.reached(1);
    clock.mockReturnValue(60_000);
    await expectNotTaken(target);
    pings.open();
    expectStatus(await busy.answer("GET", "/readyz"), 200);
  });

  test("of a trusted proxy are not limited, because they carry requests of many clients", async () => {
    const target = await limited({ maxConnectionsPerAddress: 1, trustProxy: ["loopback"] });
    const connections = await Promise.all([1, 2, 3].map(() => opened(target)));
    await expectServed(connections);
  });
});

describe("a request that takes too long to arrive", () => {
  async function impatient(store?: Store) {
    const { server, url } = await builtService({}, store);
    const { timeout, headersTimeout, requestTimeout } = server;
    expect({ timeout, headersTimeout, requestTimeout }).toEqual({
      timeout: 60_000, // without traffic
      headersTimeout: 20_000,
      requestTimeout: 30_000,
    });
    server.headersTimeout = 1;
    server.requestTimeout = 1;
    return { url, conformance: service.conformance };
  }

  async function expectTimeout(connection: RawConnection, method: string, path: string) {
    const answer = await connection.answer(method, path);
    expectRefusal(answer, 408, "request_timeout");
    expect(answer.header("Connection")).toBe("close");
    expect(await connection.ended()).toBe("");
  }

  test("in its headers gets 408, and the connection ends", async () => {
    const connection = await opened(await impatient());
    connection.send("GET /v1 HTTP/1.1\r\nHost: queue.example\r\n");
    await expectTimeout(connection, "GET", "/v1");
  });

  test("in its body gets 408, which the audit log records", async () => {
    const clinic = await service.clinic();
    const connection = await opened(await impatient(service.store));
    const path = `/v1/queues/${clinic.queue()}/entries`;
    const headers = [
      ...["Host: queue.example", `Authorization: Bearer ${clinic.key()}`],
      ...["Content-Type: application/json", "Content-Length: 100"],
    ];
    connection.send(rawRequest(`POST ${path} HTTP/1.1`, headers, "{"));
    await expectTimeout(connection, "POST", path);
    const [row] = await service.owner.audit(clinic.slug, 1);
    expect(row?.status).toBe(408);
  });

  test("and never starts ends the connection without a response", async () => {
    const connection = await opened(await impatient());
    expect(await connection.ended()).toBe("");
  });
});

afterAll(() => pings.open());
