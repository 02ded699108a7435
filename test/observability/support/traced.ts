import { expect, type OnTestFinishedHandler } from "vitest";
import { clinicWithIds } from "../../support/endpoints.js";
import { serveClinic } from "../../support/process.js";
import { type CollectedSpan, type Collector, startCollector } from "./collector.js";

/** OTLP's numbers for a span's kind and status. */
export const kinds = { internal: 1, server: 2 };
export const statuses = { unset: 0, error: 2 };

/** A traced server with a clinic. It sends its spans only when it stops. */
export async function traced(
  atEnd: (end: OnTestFinishedHandler) => void,
  settings: Record<string, string> = {},
) {
  const collector = await startCollector(atEnd);
  const { server, clinic } = await serveClinic(atEnd, clinicWithIds, {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "3600000",
      ...settings,
    },
  });
  const stop = async () => {
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
  };
  return { collector, server, clinic, stop };
}

export function spanOf(
  { spans }: Collector,
  which: (span: CollectedSpan) => boolean,
): CollectedSpan {
  const found = spans.filter(which);
  const [span] = found;
  if (!span || found.length > 1) throw new Error(`${found.length} spans, and not one`);
  return span;
}

export const named = (name: string) => (span: CollectedSpan) => span.name === name;
