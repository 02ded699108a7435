import { expect, test } from "vitest";
import { kinds, named, spanOf, traced } from "../observability/support/traced.js";
import { mongoDatabase } from "../support/mongo.js";

test("a traced server on MongoDB has a span for each store operation, below the span of the request", async ({
  onTestFinished,
}) => {
  const { collector, clinic, stop } = await traced(onTestFinished, {}, mongoDatabase());
  await clinic.client().entry(clinic.entry("first"));
  await stop();
  const request = spanOf(collector, named("GET /v1/entries/:entryId"));
  for (const step of ["admission.admit", "entries.get"]) {
    expect(spanOf(collector, named(`store ${step}`))).toMatchObject({
      traceId: request.traceId,
      parentSpanId: request.spanId,
      kind: kinds.internal,
    });
  }
});
