import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "../../server/src/config.js";

const source = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the settings", () => {
  test("are exactly those in the table of the README", async () => {
    const sections = (await source("README.md")).split(/^## /m);
    const table = sections.find((section) => section.startsWith("Settings")) ?? "";
    const rows = [...table.matchAll(/^\| (`.+?) \|/gm)].map(([, names = ""]) => names);
    const documented = rows.flatMap((names) =>
      [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    );
    const read: string[] = [];
    readConfig(new Proxy({}, { get: (_, name) => void read.push(String(name)) }));
    const own = read.filter((name) => !name.startsWith("OTEL_"));
    expect(documented.sort()).toEqual(own.sort());
  });

  test("have the defaults in the README", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      port: 3000,
      baseUrl: null,
      docsUrl: null,
      databaseUrl: "file:./.data/queue-api.db",
      trustProxy: [],
      logLevel: "info",
      checkAnswers: false,
      shutdownSeconds: 10,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 1_000,
      metricsPort: null,
      metricsHost: "127.0.0.1",
      metricsToken: null,
      tracing: false,
    });
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }, true],
    ["the endpoint of traces alone", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a" }, true],
    ["OTEL_TRACES_EXPORTER", { OTEL_TRACES_EXPORTER: "console" }, true],
    [
      "no exporter",
      { OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://a" },
      false,
    ],
    ["OTEL_SDK_DISABLED", { OTEL_SDK_DISABLED: "TRUE", OTEL_TRACES_EXPORTER: "otlp" }, false],
    ["the name of the service alone", { OTEL_SERVICE_NAME: "clinic" }, false],
  ])("enable traces by the rules of OpenTelemetry: %s", (_name, env, tracing) => {
    expect(readConfig(env).tracing).toBe(tracing);
  });

  test("with an empty value count as not set", () => {
    expect(readConfig({ PORT: "", TRUST_PROXY: "", BASE_URL: "" })).toEqual(readConfig({}));
  });

  test.each([
    ["https://queue.example/", "https://queue.example"],
    ["https://zażółć.example/ł/", "https://xn--za-6ja4f8n1l.example/%C5%82"],
  ])("write the URL of the service in ASCII, without a trailing slash: %s", (given, read) => {
    expect(readConfig({ BASE_URL: given }).baseUrl).toBe(read);
  });

  test.each([
    ["1", 1],
    ["loopback", ["loopback"]],
    ["203.0.113.7, 10.0.0.0/8", ["203.0.113.7", "10.0.0.0/8"]],
    ["::1/128,::ffff:10.0.0.1", ["::1/128", "::ffff:10.0.0.1"]],
  ])("TRUST_PROXY accepts %s", (text, trustProxy) => {
    expect(readConfig({ TRUST_PROXY: text }).trustProxy).toEqual(trustProxy);
  });

  const refused: Readonly<Record<string, readonly string[]>> = {
    // rules/address proves which items are refused.
    TRUST_PROXY: ["true", "0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1", "10.0.0.0/8,all", "999", "1,2"],
    PORT: ["65536", "-1", "http", "0x50", " "],
    BASE_URL: [
      ...["queue.example", "ftp://queue.example", "https://queue.example/?a=1"],
      ...["https://queue.example/#top", "https://me:secret@queue.example"],
    ],
    LOG_LEVEL: ["loud"],
    CHECK_ANSWERS: ["yes"],
    SHUTDOWN_SECONDS: ["1.5"],
    MAX_CONNECTIONS: ["0"],
    MAX_CONNECTIONS_PER_ADDRESS: ["many"],
    METRICS_PORT: ["65536"],
    METRICS_TOKEN: ["0123456789abcde", "has a space in its middle"],
  };
  const rows = Object.entries(refused).flatMap(([name, texts]) =>
    texts.map((text) => [name, text] as const),
  );

  test.each(rows)("%s refuses %s with an error that names the setting", (name, text) => {
    expect(() => readConfig({ [name]: text })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: text })).toThrow(new RegExp(`^${name} must `));
  });
});
