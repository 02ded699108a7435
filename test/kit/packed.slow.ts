import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** msw 3 asks for Node 22.12; this one is taken from the registry, whatever runs the tests. */
const node22 = { name: `node-${process.platform}-${process.arch}`, version: "22.23.3" };
const msw3 = "msw@3.0.5";

const root = fileURLToPath(new URL("../..", import.meta.url));
const projects = fileURLToPath(new URL("projects", import.meta.url));
const exec = promisify(execFile);
const run = (command: string, args: readonly string[], cwd: string) =>
  exec(command, [...args], { cwd, maxBuffer: 1 << 24 });

/** Packs a workspace from a copy, since packing writes into the folder that other tests read. */
async function pack(workspace: string, folder: string): Promise<string> {
  const copy = join(folder, "copies", workspace);
  const filter = (source: string) => !source.endsWith("node_modules");
  await cp(join(root, workspace), copy, { recursive: true, filter });
  await cp(join(root, "docs"), join(folder, "copies/docs"), { recursive: true });
  // The SDK's own scripts build it anew, which needs the whole repository; it is built already.
  const asItIs = workspace === "sdk" ? ["--ignore-scripts"] : [];
  const args = ["pack", "--json", "--pack-destination", folder, ...asItIs];
  const { stdout } = await run("npm", args, copy);
  const [, filename] = /"filename": "([^"]+\.tgz)"/.exec(stdout) ?? [];
  if (!filename) throw new Error(`npm pack told no file name: ${stdout}`);
  return `./${filename}`;
}

describe("the packed kit, installed in an empty folder", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "queue-api-kit-"));
    const tarballs = await Promise.all(
      ["contract", "server", "sdk"].map((name) => pack(name, folder)),
    );
    const packages = [...tarballs, msw3, `${node22.name}@${node22.version}`];
    const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--engine-strict=false"];
    await run("npm", ["install", ...quietly, ...packages], folder);
    await cp(join(projects, "node-test"), join(folder, "node-test"), { recursive: true });
    await cp(join(projects, "kiosk.js"), join(folder, "kiosk.js"));
  }, 240_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("works with msw 3 on Node 22", async () => {
    const node = join(folder, "node_modules", node22.name, "bin", "node");
    const { stdout: version } = await run(node, ["--version"], folder);
    expect(version.trim()).toBe(`v${node22.version}`);
    const args = [
      "--test",
      "--test-reporter=tap",
      "node-test/kiosk.check.js",
      "node-test/answers.check.js",
    ];
    const { stdout } = await run(node, args, folder);
    expect(stdout).toMatch(/# pass 7\n# fail 0/);
  }, 60_000);

  it("brings the pages that docUrl points to", async () => {
    const program = `
      const { mockQueueApi } = await import("@queue-api/server/mock");
      const mock = mockQueueApi();
      const page = await mock.fetch(mock.baseUrl + "/docs/errors");
      console.log(page.status, (await page.text()).includes('id="queue_paused"'));`;
    const { stdout } = await run(
      process.execPath,
      ["--input-type=module", "--eval", program],
      folder,
    );
    expect(stdout).toBe("200 true\n");
  });

  it("has types that hold, by import and by require", async () => {
    const program = `
      import { mockQueueApi } from "@queue-api/server/msw";
      import { mockQueueApi as withoutMsw } from "@queue-api/server/mock";
      import { setupServer } from "msw/node";

      const mock = mockQueueApi({ clock: "2026-11-21T04:30:00Z" });
      setupServer(...mock.handlers);
      mock.faults.next("POST /v1/queues/:queueId/entries", "slow", { by: "3s", times: 2 });
      const called: Promise<{ status: string }> = mock.entries.call(mock.ids.entry("first"));
      const status: number | null | undefined = mock.requests[0]?.status;
      const fetching: typeof fetch = withoutMsw().fetch;
      // @ts-expect-error: there is no such route
      mock.faults.next("GET /v1/mee", "html");
      // @ts-expect-error: a reset takes no status
      mock.faults.next("GET /v1/me", "reset-before", { status: 500 });
      // @ts-expect-error: not a length of time
      mock.clock.advance("2 hours");
      export { called, fetching, status };`;
    await writeFile(join(folder, "typed.mts"), program);
    await writeFile(join(folder, "typed.cts"), program);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
    const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
    const files = ["typed.mts", "typed.cts"];
    await run(process.execPath, [tsc, ...options, ...types, ...files], folder);
  }, 60_000);

  it("needs no msw where none is imported", async () => {
    const { stdout } = await run("npm", ["ls", "--json", "msw"], folder);
    expect(JSON.parse(stdout).dependencies).toHaveProperty("msw");
    await rm(join(folder, "node_modules/msw"), { recursive: true });
    const program = (name: string) =>
      `import("@queue-api/server/${name}").then(() => console.log("loaded"), ({ code }) => console.log(code))`;
    const load = async (name: string) =>
      (await run(process.execPath, ["--eval", program(name)], folder)).stdout.trim();
    expect(await load("mock")).toBe("loaded");
    expect(await load("msw")).toBe("ERR_MODULE_NOT_FOUND");
  });
});
