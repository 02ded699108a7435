import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { everyEntry } from "../api.js";
import { clinic, usualDay } from "../clinic.js";
import type { Row, Side } from "../row.js";
import type { Service, Stage } from "../stage.js";
import { reading } from "./requests.js";

const metricsToken = "bench-0123456789abcdef";
const against = "the same without";
const goal = 0.95;

export const metrics: Row = {
  name: "metrics",
  measured: "GET entry with metrics, scraped once a round",
  against,
  goal,
  async sides(stage) {
    const { service, load } = await observed(stage, { METRICS_TOKEN: metricsToken });
    const ours: Side = {
      run: async (milliseconds) => {
        const [slice] = await Promise.all([load.run(milliseconds), scrape(service)]);
        return slice;
      },
    };
    return { ours, theirs: (await observed(stage, {})).load };
  },
};

export const traces: Row = tracesRow("traces", "GET entry with traces, every one of them", {});

export const sampledTraces: Row = tracesRow("sampled-traces", "GET entry with traces, one in ten", {
  OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
  OTEL_TRACES_SAMPLER_ARG: "0.1",
});

function tracesRow(name: string, measured: string, sampling: Record<string, string>): Row {
  return {
    name,
    measured,
    against,
    goal,
    async sides(stage) {
      const OTEL_EXPORTER_OTLP_ENDPOINT = await collector(stage);
      const { load } = await observed(stage, { OTEL_EXPORTER_OTLP_ENDPOINT, ...sampling });
      return { ours: load, theirs: (await observed(stage, {})).load };
    },
  };
}

/** A service with these settings, under reads of its waiting entries. */
async function observed(
  stage: Stage,
  env: Record<string, string>,
): Promise<{ readonly service: Service; readonly load: Side }> {
  const service = await stage.service(clinic({ front: usualDay(200) }), { env });
  const entries = await everyEntry(service, service.queues.front ?? "");
  const waiting = entries.filter(({ status }) => status === "WAITING");
  const paths = waiting.map(({ id }) => `/v1/entries/${id}`);
  return { service, load: await stage.load(reading(service, paths)) };
}

async function scrape({ origin }: Service): Promise<void> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const answer = await fetch(`${origin}/metrics`, { headers });
  if (!answer.ok) throw new Error(`the scrape was answered ${answer.status}`);
  await answer.text();
}

/** Accepts every request and discards it. */
async function collector(stage: Stage): Promise<string> {
  const server = createServer((req, res) => {
    req.resume().once("end", () => res.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stage.atEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
