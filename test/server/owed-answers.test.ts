import { randomBytes } from "node:crypto";
import { openStore, readConfig } from "@queue-api/server";
import { expect, onTestFinished, test } from "vitest";
import { mostOwed } from "../../server/src/http/owed-answers.js";
import { buildService } from "../../server/src/service.js";
import { metricsToken, scrape } from "../observability/support/scrape.js";
import { gate } from "../support/gate.js";
import { RawConnection, rawRequest } from "../support/raw.js";
import { testService } from "../support/service.js";

const pings = gate();
const service = await testService({
  settings: { metricsToken },
  interpose: (store) => ({
    ping: async () => {
      await pings.pass();
      return store.ping();
    },
  }),
});

const get = (path: string) => rawRequest(`GET ${path} HTTP/1.1`, ["Host: queue.example"]);

/** A connection on which an answer is waited for, and whatever is asked behind it has to wait in line. */
async function heldUp(behind: number): Promise<RawConnection> {
  const connection = await RawConnection.open(service);
  onTestFinished(() => connection.cut());
  pings.close();
  onTestFinished(() => pings.open());
  connection.send(get("/readyz") + get("/v1").repeat(behind));
  await pings.reached(1);
  return connection;
}

const inFlight = async () => (await scrape(service)).value("queue_api_http_requests_in_flight");

test("a connection may ask for 32 answers before it reads the first", async () => {
  expect(mostOwed).toBe(32);
  const connection = await heldUp(31);
  pings.open();
  expect((await connection.answer("GET", "/readyz")).status).toBe(200);
  for (let n = 0; n < 31; n++) {
    expect((await connection.answer("GET", "/v1")).status).toBe(200);
  }
});

test("a connection that asks for 33 is ended, and nothing of it is kept", async () => {
  const connection = await heldUp(32);
  expect(await connection.ended()).toBe("");
  pings.open();
  await expect.poll(inFlight).toBe(1); // the scrape itself
});

test("answers in line on a connection that is cut are over with it", async () => {
  const connection = await heldUp(10);
  connection.cut();
  const measured = async () =>
    (await scrape(service)).value("queue_api_http_request_duration_seconds_count", {
      route: "GET /v1",
      status: "aborted",
    });
  await expect.poll(measured).toBeGreaterThanOrEqual(10);
  pings.open();
  await expect.poll(inFlight).toBe(1);
});

test("a connection on which nothing moves is ended after a minute", async () => {
  const store = await openStore("memory:", { random: randomBytes });
  const built = buildService({ store, config: readConfig({}) }, { baseUrl: () => "" });
  onTestFinished(async () => {
    await built.endStop();
    await store.close();
  });
  expect(built.server.timeout).toBe(60_000);
});
