import { propagation } from "@opentelemetry/api";
import { core } from "@opentelemetry/sdk-node";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { QueueApi } from "@queue-api/sdk";
import { tracing } from "@queue-api/sdk/opentelemetry";
import { describe, expect, test } from "vitest";
import { commandEnvironment, commandPath } from "../support/command.js";
import { start } from "../support/run.js";
import { served } from "../support/served.js";
import { kinds, named, statuses, traced } from "./support/traced.js";

describe("a traced server", async () => {
  const { collector, server, clinic, stop } = await traced({
    OTEL_SERVICE_NAME: "clinic-queue",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_NODE_RESOURCE_DETECTORS: "env, process, os",
  });
  const send = (path: string, headers: Record<string, string>, method = "GET") =>
    fetch(server.url + path, { method, headers });
  const entryId = clinic.entry("first");
  const parent = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" };

  // A call of the SDK with its own trace.
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const hooks = tracing({ tracer: provider.getTracer("kiosk") });
  await new QueueApi({ apiKey: clinic.key(), baseUrl: server.url, hooks }).entries.get(entryId);
  propagation.disable();
  const [call] = exporter.getFinishedSpans();

  // Callers with a trace, without a valid one, and a refusal.
  await send("/v1/me", { traceparent: `00-${parent.trace}-${parent.span}-01` });
  await send("/v1/services", { traceparent: "00-no-trace-01" });
  await clinic.client().queue("x".repeat(20));

  // Text that must not be in a trace.
  const key = { Authorization: `Bearer ${clinic.key()}`, "User-Agent": "marker" };
  const person = { name: "Quentin Marker", phone: "+91 97777 66666" };
  await clinic.client().create(clinic.queue(), person, "marker-idempotency");
  await clinic.client().create(clinic.queue(), { ...person, marker: "marker" });
  for (const path of [
    ...["/v1/entries/919777766666", `/v1/entries/${clinic.key()}`, `/v1/me?token=${clinic.key()}`],
    ...["/v1/queues?marker=marker", "/marker"],
  ])
    await send(path, key);
  await send("/v1/marker", key, "PROPFIND");
  const sentEarly = collector.spans().length;
  await stop();

  test("sends its spans when it stops at the latest, and none but those of requests", () => {
    expect(sentEarly).toBe(0);
    expect(collector.spans().filter(({ kind }) => kind !== kinds.server)).toEqual([]);
  });

  test("continues the trace of the SDK: call and request", () => {
    const ofCall = { traceId: call?.spanContext().traceId };
    expect(collector.span(({ traceId }) => traceId === ofCall.traceId)).toMatchObject({
      ...ofCall,
      parentSpanId: call?.spanContext().spanId,
      name: "GET /v1/entries/:entryId",
      kind: kinds.server,
      status: { code: statuses.unset },
      attributes: {
        "http.request.method": "GET",
        "http.route": "/v1/entries/:entryId",
        "url.path": `/v1/entries/${entryId}`,
        "url.scheme": "http",
        "http.response.status_code": 200,
        "network.protocol.version": "1.1",
        "client.address": "127.0.0.1",
        "queue_api.request_id": call?.attributes["queue_api.request_id"],
        "queue_api.key_id": clinic.keyId(),
      },
      resource: {
        "service.name": "clinic-queue",
        "deployment.environment.name": "test",
        "os.type": process.platform,
      },
    });
  });

  test("continues a valid trace of a caller, and starts a new one otherwise", () => {
    const continued = collector.span(({ traceId }) => traceId === parent.trace);
    expect(continued).toMatchObject({ name: "GET /v1/me", parentSpanId: parent.span });
    const own = collector.span(named("GET /v1/services"));
    expect(own.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(own.parentSpanId ?? "").toBe("");
  });

  test("records a refusal with its code, and sets the error status only for its own failures", () => {
    expect(collector.span(named("GET /v1/queues/:queueId"))).toMatchObject({
      status: { code: statuses.unset },
      attributes: { "http.response.status_code": 404, "queue_api.error_code": "not_found" },
    });
  });

  test("records no key, no name, no phone number and no part of an unknown URL", () => {
    const secret = clinic.key().split("_")[3] ?? "";
    // The whole phone number: ids and times in nanoseconds contain any five digits now and then.
    const phones = ["9777766666", "97777 66666"];
    for (const word of [secret, "svc_live", "Quentin", ...phones, "marker", "Bearer", "file:"]) {
      expect(collector.text(), `the traces hold ${word}`).not.toContain(word);
    }
    const strange = collector.spans().filter(({ attributes }) => !attributes["http.route"]);
    expect(strange.map(({ name, attributes }) => [name, attributes["url.path"]])).toEqual([
      ["GET", undefined],
      ["HTTP", undefined],
    ]);
    const withKeyInPath = collector
      .spans()
      .filter(({ attributes }) => attributes["url.path"] === "/v1/entries/:entryId");
    expect(new Set(withKeyInPath.map(({ name }) => name))).toEqual(
      new Set(["GET /v1/entries/:entryId"]),
    );
  });
});

test("a traced server ends when the collector accepts its spans and never answers", async () => {
  const { clinic, stop } = await traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: await served(() => {}),
    OTEL_EXPORTER_OTLP_TIMEOUT: "60000",
  });
  await clinic.client().me();
  const began = performance.now();
  await stop();
  expect(performance.now() - began).toBeLessThan(25_000); // five seconds, on a busy machine
});

test("a traced server keeps serving when the collector is unavailable, and logs it", async () => {
  const { server, clinic, stop } = await traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_TIMEOUT: "200",
  });
  expect((await clinic.client().me()).status).toBe(200);
  await stop();
  expect(server.output()).toMatch(/"level":40,.*OpenTelemetry|the last spans could not be sent/);
});

test("a warning of OpenTelemetry is logged with its text", async () => {
  const { server, clinic, stop } = await traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: await served((_, response) => response.end("{}")),
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
  });
  await clinic.client().me();
  await stop();
  expect(server.output()).toContain("could not deserialize response");
});

test("with traces configured and OpenTelemetry missing, the start fails and names the packages to install", async () => {
  const hooks = `export function resolve(specifier, context, next) {
    if (!specifier.startsWith("@opentelemetry/")) return next(specifier, context);
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  const without = `import { register } from "node:module"; register(${JSON.stringify(
    `data:text/javascript,${encodeURIComponent(hooks)}`,
  )});`;
  const args = [
    `--import=data:text/javascript,${encodeURIComponent(without)}`,
    commandPath,
    ...["serve", "--port", "0", "--database", "memory:"],
  ];
  const env = { ...commandEnvironment, OTEL_TRACES_EXPORTER: "otlp" };
  expect(await start(process.execPath, args, { env }).ended).toMatchObject({
    code: 1,
    stderr:
      "queue-api: The OTEL_ settings ask for traces, which need two more packages: npm install @opentelemetry/api @opentelemetry/sdk-node\n",
  });
});
