import { createLogger } from "@queue-api/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { metricsListener } from "../../server/src/http/operator-endpoints.js";
import { isOpenToOthers } from "../../server/src/observability/observability.js";
import { commandEnvironment } from "../support/command.js";
import { expectRefusal } from "../support/expect.js";
import { serve } from "../support/process.js";
import { completed } from "../support/run.js";
import { served } from "../support/served.js";
import { startedServer, testService } from "../support/service.js";
import { metricsToken } from "./support/scrape.js";

describe("without their setting, metrics", () => {
  test("are off: /metrics does not exist", async () => {
    const service = await testService();
    expectRefusal(await service.stranger().get("/metrics"), 404, "not_found");
  });

  test("and traces load no modules", async () => {
    // All modules for metrics and traces are CommonJS.
    const program = `
      import { createRequire } from "node:module";
      const { openStore, readConfig, startServer } = await import("@queue-api/server");
      const store = await openStore("memory:", { random: (bytes) => new Uint8Array(bytes) });
      const server = await startServer({ store, config: { ...readConfig(process.env), port: 0 } });
      await fetch(server.url + "/v1");
      console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));
      await server.close();`;
    const args = ["--input-type=module", "--eval", program];
    const { stdout } = await completed(process.execPath, args, { env: commandEnvironment });
    const loaded: string[] = JSON.parse(stdout);
    expect(loaded.filter((path) => /prom-client|@opentelemetry/.test(path))).toEqual([]);
    expect(loaded.some((path) => path.includes("/express/"))).toBe(true);
  });
});

describe("metrics on the service's own port", async () => {
  const service = await testService({ settings: { metricsToken } });
  const clinic = await service.clinic();

  test.each([
    ["no token", undefined],
    ["another token", "Bearer scraper-0123456789abcdeg"],
    ["a token that is longer", `Bearer ${metricsToken}x`],
    ["another scheme", `Basic ${metricsToken}`],
    ["an API key", `Bearer ${clinic.key()}`],
  ])("are refused with %s, which is no failed sign-in", async (_what, Authorization) => {
    const address = { "X-Forwarded-For": "10.9.9.9" };
    const headers = { ...address, ...(Authorization && { Authorization }) };
    const answer = await fetch(`${service.url}/metrics`, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="metrics"');
    expect(await answer.text()).not.toContain("queue_api");
    const { headers: after } = await fetch(`${service.url}/v1`, { headers: address });
    expect(after.get("RateLimit-Remaining")).toBe("30");
  });
});

describe("metrics on their own port", () => {
  test("are at /metrics on that port, and not on the service's port", async () => {
    const { server } = await startedServer("memory:", { settings: { metricsPort: 0 } });
    const own = new URL(server.metricsUrl ?? "");
    expect(own.port).not.toBe(new URL(server.url).port);
    const answer = await fetch(own);
    expect(await answer.text()).toMatch(/^queue_api_info\{version="1\.1\.0"\} 1$/m);
    expect(await fetch(`${server.url}/metrics`)).toMatchObject({ status: 404 });
    expect(await fetch(`${own.origin}/v1`)).toMatchObject({ status: 404 });
    expect(await fetch(own, { method: "POST" })).toMatchObject({ status: 404 });
    expect(await fetch(own, { method: "HEAD" })).toMatchObject({ status: 200 });
  });

  test("need the token if one is set, and end with the service", async () => {
    const settings = { metricsPort: 0, metricsToken };
    const { server } = await startedServer("memory:", { settings });
    const url = server.metricsUrl ?? "";
    expect(await fetch(url)).toMatchObject({ status: 401 });
    const headers = { Authorization: `Bearer ${metricsToken}` };
    expect(await fetch(url, { headers })).toMatchObject({ status: 200 });
    await server.close();
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  test("fail the start if the port is in use, with an error that names the setting", async () => {
    const { port } = new URL(await served(() => {}));
    const settings = { metricsPort: Number(port) };
    await expect(startedServer("memory:", { settings })).rejects.toThrow(
      "METRICS_PORT or METRICS_HOST cannot be used: EADDRINUSE",
    );
  });

  test("are announced in the log when they are served", async () => {
    const server = await serve("memory:", onTestFinished, { METRICS_PORT: "0" });
    const line = server.output().split("\n")[0] ?? "";
    expect(JSON.parse(line)).toMatchObject({
      msg: "metrics are served",
      host: "127.0.0.1",
      port: expect.any(Number),
    });
  });
});

test.each([
  ["127.0.0.1", null, false],
  ["::1", null, false],
  ["0.0.0.0", null, true],
  ["metrics.internal", null, true],
  ["0.0.0.0", metricsToken, false],
])("metrics on %s and the token %s: a warning is due: %s", (metricsHost, token, warned) => {
  expect(isOpenToOthers({ metricsHost, metricsToken: token })).toBe(warned);
});

test("unknown queue lengths are NaN, and the other metrics are served", async () => {
  const linesByDay = () => Promise.reject(new Error("disk I/O error"));
  const { server } = await startedServer("memory:", {
    settings: { metricsPort: 0 },
    interpose: () => ({ monitoring: { linesByDay } }),
  });
  const answer = await fetch(server.metricsUrl ?? "");
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).toMatch(/^queue_api_people_waiting NaN$/im);
  expect(text).toMatch(/^queue_api_longest_wait_seconds NaN$/im);
  expect(text).not.toContain("disk");
});

test("a scrape that fails gets 500, without internal detail", async () => {
  const scrape = () => Promise.reject(new Error("disk I/O error"));
  const silent = createLogger({ level: "silent", pretty: false });
  const answer = await fetch(await served(metricsListener(scrape, null, silent)));
  expect([answer.status, await answer.text()]).toEqual([500, "the metrics cannot be read\n"]);
});
