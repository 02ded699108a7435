import { cp, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { matrix } from "../support/matrix.js";
import { Project } from "../support/project.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const programs = new URL("project", import.meta.url);
const nodeTest = ["--test-reporter=tap", "--import", "./node-test.mjs", "kiosk.check.mjs"];
/** What the kit is packed with: the client that is tested with it. */
const workspaces = ["testkit", "sdk"];

const evaluated = (project: Project, program: string) =>
  project.run(process.execPath, ["--input-type=module", "--eval", program]);

/** Compiles a program and its declarations, as an ES module and as CommonJS, against the packages of a project. */
async function compile(program: string, project: Project): Promise<void> {
  await project.write("typed.mts", program);
  await project.write("typed.cts", program);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const options = ["--declaration", "--strict", "--skipLibCheck", "--module", "nodenext"];
  const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
  const files = ["--outDir", "compiled", "typed.mts", "typed.cts"];
  await project.run(process.execPath, [tsc, ...options, ...types, ...files]);
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

describe("the packed kit, alone in an empty folder", () => {
  let project: Project;

  beforeAll(async () => {
    project = await Project.make({ workspaces: ["testkit"], options: ["--offline"] });
  });

  it("installs no other package, and has at most 3 MB", async () => {
    const listed = await project.run("npm", ["ls", "--all", "--parseable"]);
    const [, ...packages] = listed.split("\n").filter((line) => line.startsWith("/"));
    expect(packages).toEqual([expect.stringMatching(/node_modules\/@queue-api\/testkit$/)]);
    expect(await bytesIn(packages[0] ?? "")).toBeLessThan(3_000_000);
  });

  it("mocks the service, and has one instance for import and require", async () => {
    const program = `
      import { createRequire } from "node:module";
      import { mockQueueApi } from "@queue-api/testkit";
      const required = createRequire(process.cwd() + "/")("@queue-api/testkit");
      const mock = required.mockQueueApi();
      const headers = { Authorization: "Bearer " + mock.key("kiosk") };
      const answer = await mock.fetch(mock.baseUrl + "/v1/queues/" + mock.ids.queue("front"), { headers });
      const { data } = await answer.json();
      console.log(data.counts.waiting, required.mockQueueApi === mockQueueApi);`;
    expect(await evaluated(project, program)).toBe("2 true\n");
  });

  it("needs msw only for /msw", async () => {
    const program = `
      import("@queue-api/testkit/msw").catch(({ code, message }) => console.log(code, message));`;
    expect(await evaluated(project, program)).toMatch(/^ERR_MODULE_NOT_FOUND .*'msw'/);
  });
});

describe("the packed kit with msw", () => {
  let project: Project;

  beforeAll(async () => {
    const copyOf = new URL("../tools/runners", import.meta.url);
    project = await Project.make({ copyOf, workspaces });
    await cp(programs, join(project.folder, "project"), { recursive: true });
  });

  const jest = (config: string) => [
    "../node_modules/jest/bin/jest.js",
    "--detectOpenHandles",
    "--config",
    config,
  ];

  const runners: readonly [string, readonly string[], RegExp][] = [
    ["Node's own runner", nodeTest, /# pass 3\n# fail 0/],
    [
      "jest with ES modules",
      ["--experimental-vm-modules", ...jest("jest.config.mjs")],
      /Tests: +3 passed, 3 total/,
    ],
    ["jest with CommonJS", jest("jest.commonjs.config.cjs"), /Tests: +4 passed, 4 total/],
  ];

  it.each(matrix(runners))(
    "works under %s",
    async (_name, args, passed) => {
      const output = await project.run(process.execPath, args, {}, "project");
      expect(output).toMatch(passed);
      expect(output).not.toMatch(/open handle|did not exit/i);
    },
    120_000,
  );

  it("passes under vitest the first test in its README", async () => {
    const text = await readFile(join(root, "testkit/README.md"), "utf8");
    for (const [, name = "", code = ""] of text.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)) {
      await project.write(`readme/${name}`, code);
    }
    const vitest = project.inPackage("vitest", "vitest.mjs");
    const output = await project.run(process.execPath, [vitest, "run"], {}, "readme");
    expect(output).toMatch(/Tests +3 passed \(3\)/);
  });

  it("has types that compile, by import and by require", async () => {
    await compile(
      `
      import { fakes, mockQueueApi } from "@queue-api/testkit/msw";
      import { mockQueueApi as withoutMsw } from "@queue-api/testkit";
      import { setupServer } from "msw/node";

      const mock = mockQueueApi({ clock: "2026-11-21T04:30:00Z" });
      setupServer(...mock.handlers);
      const called: Promise<{ status: string }> = mock.entries.call(mock.ids.entry("first"));
      const list: AsyncIterable<{ token: string }> = fakes.list([fakes.entry()]);
      const fetching: typeof fetch = withoutMsw().fetch;
      // @ts-expect-error: no queue of the seed has this ref
      mock.ids.queue("frnt");
      export { called, fetching, list };
      export const inferred = [mock, mock.ids, fakes.list([fakes.entry()]), fakes.promise(fakes.me())];
      export const all = fakes;
      export const { entry, list: listed, promise, watch } = fakes;
      export const { next } = mock.faults;
      export const { next: answer } = mock.answers;
      export const { clock, entries, queues, keys, appointments, requests } = mock;`,
      project,
    );
  });
});
