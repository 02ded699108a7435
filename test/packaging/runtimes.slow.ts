import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../support/listen.js";
import { Project } from "../support/project.js";
import { completed } from "../support/run.js";
import { testService } from "../support/service.js";
import { both, failing, imported, proxied, required, servedBy } from "./programs.js";

/** A JavaScript runtime in a package of the registry that needs no install script. */
interface Runtime {
  readonly name: string;
  readonly spec: string;
  readonly binary: string;
  readonly args: readonly string[];
}

const platform = `${process.platform}-${process.arch}`;

const bun = (version: string): Runtime => ({
  name: "Bun",
  spec: `@oven/bun-${platform}@${version}`,
  binary: `node_modules/@oven/bun-${platform}/bin/bun`,
  args: [],
});

/** The runtimes beside Node, whose versions the workflow runs all tests on. Bun 1.4 has other network errors. */
const runtimes: readonly Runtime[] = [
  bun("1.1"),
  bun("1"),
  {
    name: "Deno",
    spec: `@deno/${platform}-glibc@2`,
    binary: `node_modules/@deno/${platform}-glibc/deno`,
    args: ["run", "--allow-net", "--allow-read", "--allow-env"],
  },
];

/** The path of a runtime, downloaded once into the folder for temporary files. */
async function fetched({ spec, binary }: Runtime): Promise<string> {
  const folder = join(tmpdir(), "queue-api-runtimes", spec.replaceAll("/", "-"));
  const path = join(folder, binary);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", spec];
  await completed("npm", install, { cwd: folder, env: process.env });
  return path;
}

let installed: Project;

beforeAll(async () => {
  installed = await Project.make();
});

describe.each(runtimes)("on $spec", (runtime) => {
  let path: string;
  beforeAll(async () => {
    path = await fetched(runtime);
  });

  const output = async (program: string, env = {}) =>
    (await installed.run(path, [...runtime.args, program], env)).trim();

  test.each([
    ["required.cjs", required],
    ["imported.mjs", imported],
    ["both.mjs", both],
    ["failing.mjs", failing],
  ])("%s works", async (name, text) => {
    const program = await installed.write(name, text);
    expect(await output(program)).toBe("works");
  });

  test("a kiosk on the runtime's own server takes a token", async () => {
    const service = await testService();
    const clinic = await service.clinic();
    const program = await installed.write("kiosk.ts", servedBy[runtime.name] ?? "");
    const env = {
      QUEUE_API_KEY: clinic.key(),
      QUEUE_API_BASE_URL: service.url,
      QUEUE_ID: clinic.queue(),
    };
    expect(await output(program, env)).toBe("A1: number 1 in line");
  });

  test("uses the proxy of the environment", async () => {
    const requested: (string | undefined)[] = [];
    const proxy = createServer(({ url }, response) => {
      requested.push(url);
      response.setHeader("Content-Type", "application/json").end('{ "data": [] }');
    });
    proxy.on("connect", ({ url }, socket: Socket) => {
      requested.push(url); // some request a tunnel even without TLS; the tunnel leads to this proxy
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      proxy.emit("connection", socket);
    });
    const address = await listen(proxy);
    onTestFinished(() => void proxy.close());
    onTestFinished(() => proxy.closeAllConnections());
    const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: address, http_proxy: address };
    const program = await installed.write("proxied.mjs", proxied);
    expect(await output(program, env)).toBe("works");
    expect(requested[0]).toMatch(/queue\.invalid/);
  });
});
