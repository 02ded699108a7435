import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { listen } from "../../support/listen.js";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, "attributes" | "resource"> & {
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
}

/** A received span, with its attributes as plain values. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A trace collector that accepts OTLP over HTTP as JSON, and stores the spans. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All received data as text. */
  text(): string;
}

/** Starts a collector and stops it at the end of the test. */
export async function startCollector(atEnd: (end: () => void) => void): Promise<Collector> {
  const received: Exported[] = [];
  const server = createServer(async (req, res) => {
    if (req.url === "/v1/traces") received.push((await json(req)) as Exported);
    res.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  const url = await listen(server);
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url,
    get spans() {
      return received.flatMap(spansOf);
    },
    text: () => JSON.stringify(received),
  };
}

function spansOf({ resourceSpans }: Exported): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: plain(span.attributes),
        resource: plain(resource.attributes),
      })),
    ),
  );
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
}
