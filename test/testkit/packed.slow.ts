import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { installTools } from "#tools";
import { atEndOfWorker } from "../support/at-end.js";

/** The Node version that msw 3 requires, from the registry, so that any Node can run the tests. */
const node22 = { name: `node-${process.platform}-${process.arch}`, version: "22.23.3" };
const msw3 = "msw@3.0.5";

const root = fileURLToPath(new URL("../..", import.meta.url));
const project = fileURLToPath(new URL("project", import.meta.url));
const runners = fileURLToPath(new URL("../tools/runners", import.meta.url));
const nodeTest = ["--test-reporter=tap", "--import", "./node-test.mjs", "kiosk.check.mjs"];
const exec = promisify(execFile);
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_OPTIONS|JEST|NODE_TEST|TEST$)/.test(name),
  ),
);
const run = (command: string, args: readonly string[], cwd: string) =>
  exec(command, [...args], { cwd, maxBuffer: 1 << 24, env: { ...env, NO_COLOR: "1" } });
const npm = (args: readonly string[], cwd: string) =>
  run("npm", [...args, "--no-audit", "--no-fund", "--ignore-scripts"], cwd);
const node = async (program: string, cwd: string, type = "module") =>
  (await run(process.execPath, [`--input-type=${type}`, "--eval", program], cwd)).stdout;

/** An empty folder that is removed at the end of the worker. */
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-kit-"));
  atEndOfWorker(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs a workspace from a copy, because packing writes into a folder that other tests read. */
async function pack(workspace: string, folder: string): Promise<string> {
  const copy = join(folder, "copies", workspace);
  const filter = (source: string) => !source.endsWith("node_modules");
  await cp(join(root, workspace), copy, { recursive: true, filter });
  // Removes the SDK's scripts, which would build it again and need the whole repository.
  const withoutScripts = workspace === "sdk" ? ["--ignore-scripts"] : [];
  const args = ["pack", "--json", "--pack-destination", folder, ...withoutScripts];
  const { stdout } = await run("npm", args, copy);
  const [, filename] = /"filename": "([^"]+\.tgz)"/.exec(stdout) ?? [];
  if (!filename) throw new Error(`npm pack printed no file name: ${stdout}`);
  return join(folder, filename);
}

/** Compiles a program as an ES module and as CommonJS, against the packages of a folder. */
async function compile(program: string, folder: string): Promise<void> {
  await writeFile(join(folder, "typed.mts"), program);
  await writeFile(join(folder, "typed.cts"), program);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
  const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
  await run(process.execPath, [tsc, ...options, ...types, "typed.mts", "typed.cts"], folder);
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

let packed: string;
let kit: string;

beforeAll(async () => {
  packed = await emptyFolder();
  kit = await pack("testkit", packed);
});

describe("the packed kit, alone in an empty folder", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await emptyFolder();
    await npm(["install", "--offline", kit], folder);
  });

  it("installs no other package, and has at most 3 MB", async () => {
    const { stdout } = await npm(["ls", "--all", "--parseable"], folder);
    const packages = stdout.trim().split("\n").slice(1);
    expect(packages).toEqual([expect.stringMatching(/node_modules\/@queue-api\/testkit$/)]);
    const bytes = await bytesIn(packages[0] ?? "");
    console.log(`installed: ${(bytes / 1e6).toFixed(2)} MB`);
    expect(bytes).toBeLessThan(3_000_000);
  });

  it.each(["module", "commonjs"])("mocks the service for a %s", async (type) => {
    const load = {
      module: 'const { mockQueueApi } = await import("@queue-api/testkit");',
      commonjs: 'const { mockQueueApi } = require("@queue-api/testkit");',
    }[type];
    const program = `
      const began = performance.now();
      ${load}
      const milliseconds = performance.now() - began;
      const mock = mockQueueApi();
      const headers = { Authorization: "Bearer " + mock.key("kiosk") };
      mock.fetch(mock.baseUrl + "/v1/queues/" + mock.ids.queue("front"), { headers })
        .then((answer) => answer.json())
        .then(({ data }) => console.log(JSON.stringify({ waiting: data.counts.waiting, milliseconds })));`;
    const { waiting, milliseconds } = JSON.parse(await node(program, folder, type));
    console.log(`loaded as a ${type}: ${Math.round(milliseconds)} ms`);
    expect(waiting).toBe(2);
  });

  it("has one instance for import and require", async () => {
    const program = `
      import { createRequire } from "node:module";
      import { mockQueueApi } from "@queue-api/testkit";
      const required = createRequire(process.cwd() + "/")("@queue-api/testkit");
      console.log(required.mockQueueApi === mockQueueApi);`;
    expect(await node(program, folder)).toBe("true\n");
  });

  it("needs msw only for /msw", async () => {
    const program = `
      import("@queue-api/testkit/msw").catch(({ code, message }) => console.log(code, message));`;
    expect(await node(program, folder)).toMatch(/^ERR_MODULE_NOT_FOUND .*'msw'/);
  });
});

describe("the packed kit with msw 2", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await emptyFolder();
    await cp(runners, folder, {
      recursive: true,
      filter: (path) => !path.endsWith("node_modules"),
    });
    await npm(["ci"], folder);
    await npm(["install", "--no-save", kit], folder);
    await cp(project, join(folder, "project"), { recursive: true });
  });

  const jest = (config: string) => [
    "../node_modules/jest/bin/jest.js",
    "--detectOpenHandles",
    "--config",
    config,
  ];

  it.each<[string, string[], RegExp]>([
    ["vitest", ["../node_modules/vitest/vitest.mjs", "run"], /Tests +5 passed \(5\)/],
    ["Node's own runner", nodeTest, /# pass 5\n# fail 0/],
    [
      "jest with ES modules",
      ["--experimental-vm-modules", ...jest("jest.config.mjs")],
      /Tests: +5 passed, 5 total/,
    ],
    ["jest with CommonJS", jest("jest.commonjs.config.cjs"), /Tests: +6 passed, 6 total/],
  ])(
    "works under %s",
    async (_name, args, passed) => {
      const { stdout, stderr } = await run(process.execPath, args, join(folder, "project"));
      expect(stdout + stderr).toMatch(passed);
      expect(stdout + stderr).not.toMatch(/open handle|did not exit/i);
    },
    120_000,
  );

  it.each(["testkit/README.md", "docs/testing.md"])("passes the first test in %s", async (page) => {
    const example = await mkdtemp(join(folder, "example-"));
    const text = await readFile(join(root, page), "utf8");
    for (const [, name = "", code = ""] of text.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)) {
      await writeFile(join(example, name), code);
    }
    await writeFile(join(example, "package.json"), '{ "type": "module" }');
    const vitest = join(folder, "node_modules/vitest/vitest.mjs");
    const { stdout } = await run(process.execPath, [vitest, "run"], example);
    expect(stdout).toMatch(/Tests +2 passed \(2\)/);
  });

  it("has types that compile, by import and by require", async () => {
    await compile(
      `
      import { mockQueueApi } from "@queue-api/testkit/msw";
      import { mockQueueApi as withoutMsw } from "@queue-api/testkit";
      import { setupServer } from "msw/node";

      const mock = mockQueueApi({ clock: "2026-11-21T04:30:00Z" });
      setupServer(...mock.handlers);
      mock.faults.next("POST /v1/queues/:queueId/entries", "slow", { by: "3s", times: 2 });
      mock.answers.next("GET /v1/queues", [{ name: "Front desk" }], { times: 2 });
      const called: Promise<{ status: string }> = mock.entries.call(mock.ids.entry("first"));
      const status: number | null | undefined = mock.requests[0]?.status;
      const fetching: typeof fetch = withoutMsw().fetch;
      // @ts-expect-error: there is no such route
      mock.faults.next("GET /v1/mee", "html");
      // @ts-expect-error: a reset takes no status
      mock.faults.next("GET /v1/me", "reset-before", { status: 500 });
      // @ts-expect-error: not a length of time
      mock.clock.advance("2 hours");
      // @ts-expect-error: no queue of the seed has this ref
      mock.ids.queue("frnt");
      export { called, fetching, status };`,
      folder,
    );
  });
});

describe("the packed kit with msw 3", () => {
  it("works on Node 22", async () => {
    const folder = await emptyFolder();
    const packages = [kit, msw3, `${node22.name}@${node22.version}`];
    await npm(["install", "--engine-strict=false", ...packages], folder);
    await cp(project, join(folder, "project"), { recursive: true });

    const node = join(folder, "node_modules", node22.name, "bin", "node");
    const { stdout: version } = await run(node, ["--version"], folder);
    expect(version.trim()).toBe(`v${node22.version}`);
    const { stdout } = await run(node, nodeTest, join(folder, "project"));
    expect(stdout).toMatch(/# pass 5\n# fail 0/);
  });
});

describe("the types of the packed packages", () => {
  it.each(["sdk", "testkit"])(
    "of %s pass are-the-types-wrong",
    async (workspace) => {
      const attw = join(installTools("types"), "node_modules/.bin/attw");
      const tarball = workspace === "testkit" ? kit : await pack(workspace, packed);
      const { stdout } = await run(attw, [tarball, "--format", "json"], packed);
      expect(JSON.parse(stdout).problems).toEqual({});
    },
    120_000,
  );
});

describe("the packed server", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await emptyFolder();
    const others = ["contract", "sdk", "server"].map((name) => pack(name, packed));
    await npm(["install", kit, ...(await Promise.all(others))], folder);
  });

  it("includes the pages of docUrl", async () => {
    const program = `
      import { openStore, pooledRandom, readConfig, startServer, systemClock } from "@queue-api/server";
      const store = await openStore("memory:", { clock: systemClock, random: pooledRandom() });
      const server = await startServer({ store, config: { ...readConfig({}), port: 0 } });
      const page = await fetch(server.url + "/docs/errors");
      console.log(page.status, (await page.text()).includes('id="queue_paused"'));
      await server.close();
      await store.close();`;
    expect(await node(program, folder)).toBe("200 true\n");
  });
});
