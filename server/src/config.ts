import { z } from "zod";
import { readWholeNumber, wholeNumber } from "./lib/whole-number.js";
import { isProxy } from "./rules/address.js";

/** An invalid setting. The message is one line that names the setting and says what it must be. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const address = z
  .url({ protocol: /^https?$/, error: "must be a URL like https://queue.example" })
  .refine((url) => /^https?:\/\/[^@?#]+$/i.test(url), "must not contain a password, ? or #")
  .transform((url) => new URL(url).href.replace(/\/+$/, "")) // ASCII, as headers need it
  .nullable();

const whole = (min: number, max: number) =>
  z.string().transform(readWholeNumber).pipe(wholeNumber(min, max));

const levels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/** Each setting with the environment variable of the same name: `baseUrl` is `BASE_URL`. */
const settings = {
  /** `HOST`: address to listen on. Default 127.0.0.1. */
  host: z.string().default("127.0.0.1"),
  /** `PORT`: port to listen on; 0 takes a free one. Default 3000. */
  port: whole(0, 65_535).default(3000),
  /** `BASE_URL`: public address of the service, in `Location` headers. Default: the address that it listens on. */
  baseUrl: address.default(null),
  /** `DOCS_URL`: address of the developer reference, in `docUrl`. Default: `BASE_URL` + `/docs`. */
  docsUrl: address.default(null),
  /** `DATABASE_URL`: `file:PATH`, `mongodb://HOST/NAME` or `memory:`. Default `file:./.data/queue-api.db`. */
  databaseUrl: z.string().default("file:./.data/queue-api.db"),
  /**
   * `TRUST_PROXY`: the proxies whose `X-Forwarded-For` is trusted: their number, or their addresses and ranges,
   * separated by commas; 0 for no proxy. "all" is not possible. Default: none, with a warning when that header
   * arrives.
   */
  trustProxy: z.string().transform(readTrust).default([]),
  /** `LOG_LEVEL`: fatal, error, warn, info, debug, trace or silent. Default info. */
  logLevel: z
    .string()
    .refine((level) => levels.includes(level), `must be one of ${levels.join(", ")}`)
    .default("info"),
  /** `CHECK_ANSWERS`: `on` checks each response against the contract before it is sent. Default off. */
  checkAnswers: z
    .enum(["on", "off"], { error: "must be on or off" })
    .transform((word) => word === "on")
    .default(false),
  /** `SHUTDOWN_SECONDS`: how long running requests may take when the service stops. Default 10. */
  shutdownSeconds: whole(0, 3600).default(10),
  /** `MAX_CONNECTIONS`: maximum number of open connections, without those of trusted proxies. Default 10,000. */
  maxConnections: whole(1, 1_000_000).default(10_000),
  /**
   * `MAX_CONNECTIONS_PER_ADDRESS`: maximum number of open connections of one address, unless it is a trusted proxy.
   * Default 1,000.
   */
  maxConnectionsPerAddress: whole(1, 1_000_000).default(1_000),
  /** `METRICS_PORT`: a separate port for the metrics; 0 takes a free one. Default: none. */
  metricsPort: whole(0, 65_535).nullable().default(null),
  /** `METRICS_HOST`: address to listen on for the metrics. Default 127.0.0.1. */
  metricsHost: z.string().default("127.0.0.1"),
  /**
   * `METRICS_TOKEN`: the bearer token of scrapers. Without `METRICS_PORT`, the metrics are then served on the
   * service's own port. Default: none. Without both settings, metrics are off.
   */
  metricsToken: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, "must be 16 or more visible ASCII characters without spaces")
    .nullable()
    .default(null),
} as const;

type Settings = { readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]> };

/** The settings of a running service. */
export interface Config extends Settings {
  /** Whether the standard `OTEL_` settings turn traces on. Default: no. */
  readonly tracing: boolean;
}

function readTrust(text: string, context: z.RefinementCtx): number | string[] {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const items = text.split(",").map((item) => item.trim());
  if (items.every(isProxy)) return items;
  context.addIssue(
    "must be a number of proxies, or their addresses and ranges, but not all addresses",
  );
  return z.NEVER;
}

/** Reads the settings from the environment. An empty variable counts as not set. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = Object.entries(settings).map(([name, schema]) => {
    const variable = name.replace(/[A-Z]/g, "_$&").toUpperCase();
    const result = schema.safeParse(env[variable] || undefined);
    if (!result.success) throw new ConfigError(`${variable} ${result.error.issues[0]?.message}`);
    return [name, result.data];
  });
  return { ...(Object.fromEntries(read) as Settings), tracing: asksForTraces(env) };
}

/**
 * Whether the settings of OpenTelemetry name an address to send traces to. Its own SDK reads the other settings.
 */
function asksForTraces(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false;
  if (env.OTEL_TRACES_EXPORTER) return env.OTEL_TRACES_EXPORTER !== "none";
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
