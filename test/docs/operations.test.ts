import { readFile } from "node:fs/promises";
import { readConfig } from "@queue-api/server";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { connectionDefaults } from "../../server/src/store/mongo/connection.js";

const root = new URL("../../", import.meta.url);
const read = (name: string) => readFile(new URL(name, root), "utf8");

const operations = await read("docs/operations.md");

test("the page states the defaults for MongoDB that the URL does not set", () => {
  const rows = [...operations.matchAll(/^\| `(\w+(?:MS|Size))` \| (\d+) \|/gm)];
  const documented = Object.fromEntries(rows.map(([, name, value]) => [name, Number(value)]));
  expect(documented).toEqual(connectionDefaults);
});

const { services, configs } = parse(await read("compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, { readonly environment?: NodeJS.ProcessEnv }>>;
  readonly configs: { readonly nginx: { readonly content: string } };
};

test("compose.yaml sets the variables that the service reads", () => {
  for (const name of ["api1", "api2"]) {
    expect(readConfig(services[name]?.environment ?? {})).toMatchObject({
      databaseUrl: "mongodb://mongo1,mongo2,mongo3/queue?replicaSet=rs0",
      trustProxy: ["uniquelocal"],
    });
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
