import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { readConfig } from "@queue-api/server";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createProgram } from "../../server/src/cli/program.js";
import { connectionDefaults } from "../../server/src/store/mongo/connection.js";

const root = new URL("../../", import.meta.url);
const read = (name: string) => readFile(new URL(name, root), "utf8");

const operations = await read("docs/operations.md");

test("the page states the defaults for MongoDB that the URL does not set", () => {
  const rows = [...operations.matchAll(/^\| `(\w+(?:MS|Size))` \| (\d+) \|/gm)];
  const documented = Object.fromEntries(rows.map(([, name, value]) => [name, Number(value)]));
  expect(documented).toEqual(connectionDefaults);
});

interface ComposeService {
  readonly command?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly depends_on?: readonly string[] | Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test: string | readonly string[] };
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
}

const { services, configs, volumes } = parse(await read("compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: { readonly nginx: { readonly content: string } };
  readonly volumes: object;
};

test("compose.yaml sets the variables that the service reads", () => {
  for (const name of ["api1", "api2"]) {
    expect(readConfig(services[name]?.environment ?? {})).toMatchObject({
      databaseUrl: "mongodb://mongo1,mongo2,mongo3/queue?replicaSet=rs0",
      trustProxy: ["uniquelocal"],
    });
  }
});

test("compose.yaml runs commands that exist, on the port and for the time that the service takes", () => {
  const { port, shutdownSeconds } = readConfig({});
  for (const name of ["api1", "api2", "prepare"]) {
    const [node, bin = "", ...args] = services[name]?.command ?? [];
    expect([node, existsSync(new URL(bin, root))]).toEqual(["node", true]);
    const command = args.reduce<Command>(
      (found, word) => found.commands.find((one) => one.name() === word) ?? found,
      createProgram(),
    );
    expect([command.commands, command.parseOptions(args).unknown]).toEqual([[], []]);
  }
  for (const name of ["api1", "api2"]) {
    const { healthcheck, stop_grace_period: grace } = services[name] ?? {};
    expect(healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${port}/readyz`);
    expect(Number.parseInt(grace ?? "", 10)).toBeGreaterThan(shutdownSeconds + 12);
    expect(configs.nginx.content).toContain(`server ${name}:${port} `);
  }
});

test("compose.yaml refers to services and volumes that it has", () => {
  for (const { depends_on: needed = [], volumes: used = [] } of Object.values(services)) {
    const names = Array.isArray(needed) ? needed : Object.keys(needed);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(names));
    const named = used.map((volume) => volume.split(":")[0] ?? "").filter((name) => name !== ".");
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named));
  }
});

/** The directives of a configuration of nginx, without those that depend on the machine. */
function directives(text: string): string[] {
  return text
    .replaceAll(/#.*$/gm, "")
    .replaceAll("$$", "$") // compose escapes $ as $$
    .replaceAll(/server [\w.]+:3000/g, "server INSTANCE")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(listen|http2) /.test(line));
}

test("compose.yaml configures nginx as the page documents it", () => {
  const [, block = ""] = /^```nginx\n(.*?)^```$/ms.exec(operations) ?? [];
  expect(directives(configs.nginx.content)).toEqual(directives(block));
});
