import assert from "node:assert";
import { registerInstrumentations } from "@opentelemetry/instrumentation";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { QueueApi } from "@queue-api/sdk";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
registerInstrumentations({
  tracerProvider: provider,
  instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation()],
});
const api = new QueueApi({ apiKey: "svc_live_x_y", baseUrl: process.env.FAKE_SERVICE });
await api.queues.list();
const spans = exporter.getFinishedSpans();
assert.equal(spans.length, 1, spans.map(({ name }) => name).join());
assert.equal(spans[0].attributes["url.path"], "/v1/queues");
console.log("works");
process.exit(0);
