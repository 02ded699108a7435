import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { propagation } from "@opentelemetry/api";
import { core } from "@opentelemetry/sdk-node";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { QueueApi } from "@queue-api/sdk";
import { tracing } from "@queue-api/sdk/opentelemetry";
import { afterEach, describe, expect, test } from "vitest";
import { commandEnvironment, commandPath } from "../support/command.js";
import { kinds, named, spanOf, statuses, traced } from "./support/traced.js";

describe("a traced server", () => {
  afterEach(() => propagation.disable());

  test("continues the trace of the SDK: call and request", async ({ onTestFinished }) => {
    const { collector, server, clinic, stop } = await traced(onTestFinished, {
      OTEL_SERVICE_NAME: "clinic-queue",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const hooks = tracing({ tracer: provider.getTracer("kiosk") });
    const api = new QueueApi({ apiKey: clinic.key(), baseUrl: server.url, hooks });
    const entryId = clinic.entry("first");
    await api.entries.get(entryId);
    expect(collector.spans).toEqual([]);
    await stop();

    const [call] = exporter.getFinishedSpans();
    const request = spanOf(collector, named("GET /v1/entries/:entryId"));
    expect(request).toMatchObject({
      traceId: call?.spanContext().traceId,
      parentSpanId: call?.spanContext().spanId,
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
      resource: { "service.name": "clinic-queue", "deployment.environment.name": "test" },
    });
    expect(collector.spans.filter(({ kind }) => kind !== kinds.server)).toEqual([]);
  });

  test("continues a valid trace of a caller, and starts a new one otherwise", async ({
    onTestFinished,
  }) => {
    const { collector, server, stop } = await traced(onTestFinished);
    const parent = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" };
    const ask = (path: string, traceparent: string) =>
      fetch(server.url + path, { headers: { traceparent } });
    await ask("/v1/me", `00-${parent.trace}-${parent.span}-01`);
    await ask("/v1/services", "00-no-trace-01");
    await stop();
    expect(spanOf(collector, named("GET /v1/me"))).toMatchObject({
      traceId: parent.trace,
      parentSpanId: parent.span,
      resource: { "service.name": "queue-api" },
    });
    const own = spanOf(collector, named("GET /v1/services"));
    expect(own.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(own.parentSpanId ?? "").toBe("");
  });

  test("records a refusal with its code, and sets the error status only for its own failures", async ({
    onTestFinished,
  }) => {
    const { collector, clinic, stop } = await traced(onTestFinished);
    await clinic.client().queue("x".repeat(20));
    await stop();
    expect(spanOf(collector, named("GET /v1/queues/:queueId"))).toMatchObject({
      status: { code: statuses.unset },
      attributes: { "http.response.status_code": 404, "queue_api.error_code": "not_found" },
    });
  });

  test("records no key, no name, no phone number and no part of an unknown URL", async ({
    onTestFinished,
  }) => {
    const { collector, server, clinic, stop } = await traced(onTestFinished);
    const person = { name: "Quentin Marker", phone: "+91 97777 66666" };
    const ask = (path: string, method = "GET") =>
      fetch(server.url + path, {
        method,
        headers: { Authorization: `Bearer ${clinic.key()}`, "User-Agent": "marker" },
      });
    await clinic.client().create(clinic.queue(), person, "marker-idempotency");
    await clinic.client().create(clinic.queue(), { ...person, marker: "marker" });
    await ask("/v1/entries/919777766666");
    await ask(`/v1/entries/${clinic.key()}`);
    await ask(`/v1/me?token=${clinic.key()}`);
    await ask("/v1/queues?marker=marker");
    await ask("/marker");
    await ask("/v1/marker", "PROPFIND");
    await stop();

    const secret = clinic.key().split("_")[3] ?? "";
    // The whole phone number: ids and times in nanoseconds contain any five digits now and then.
    const phones = ["9777766666", "97777 66666"];
    for (const word of [secret, "svc_live", "Quentin", ...phones, "marker", "Bearer", "file:"]) {
      expect(collector.text(), `the traces hold ${word}`).not.toContain(word);
    }
    const strange = collector.spans.filter(({ attributes }) => !attributes["http.route"]);
    const requests = strange.filter(({ kind }) => kind === kinds.server);
    expect(requests.map(({ name, attributes }) => [name, attributes["url.path"]])).toEqual([
      ["GET", undefined],
      ["HTTP", undefined],
    ]);
    expect(
      spanOf(
        collector,
        (span) =>
          span.attributes["url.path"] === "/v1/entries/:entryId" &&
          span.attributes["queue_api.key_id"] !== undefined,
      ).name,
    ).toBe("GET /v1/entries/:entryId");
  });

  test("keeps serving when the collector is unavailable, and logs it", async ({
    onTestFinished,
  }) => {
    const { server, clinic, stop } = await traced(onTestFinished, {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_TIMEOUT: "200",
    });
    expect((await clinic.client().me()).status).toBe(200);
    await stop();
    expect(server.output()).toMatch(/"level":40,.*OpenTelemetry|the last spans could not be sent/);
  });
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
  await expect(promisify(execFile)(process.execPath, args, { env })).rejects.toMatchObject({
    code: 1,
    stderr:
      "queue-api: The OTEL_ settings ask for traces, which need two more packages: npm install @opentelemetry/api @opentelemetry/sdk-node\n",
  });
});
