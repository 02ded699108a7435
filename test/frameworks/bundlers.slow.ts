import { beforeAll, expect, test } from "vitest";
import { Project } from "../support/project.js";
import { FakeService } from "./fake-service.js";

let service: FakeService;
let project: Project;

beforeAll(async () => {
  service = await FakeService.start();
  const copyOf = new URL("projects/bundlers", import.meta.url);
  const packages = ["esbuild@0.28.2", "vite@7.3.6", "webpack@5.112.2", "webpack-cli@6.0.1"];
  project = await Project.make({ copyOf, packages });
});

const printed = async (program: string) =>
  (await project.run(process.execPath, [program], { FAKE_SERVICE: service.url })).trim();

test.each([
  ["an ES module for Node", "program.mjs", ["--platform=node", "--format=esm"]],
  ["a CommonJS module for Node", "program.cjs", ["--platform=node", "--format=cjs"]],
  ["an ES module for any runtime", "program.mjs", ["--platform=neutral", "--format=esm"]],
])("bundled by esbuild, %s works", async (_what, program, options) => {
  const out = `esbuild-${program}`;
  await project.bin("esbuild", [program, "--bundle", `--outfile=${out}`, ...options]);
  expect(await printed(out)).toBe("works");
});

test("a program bundled by webpack works", async () => {
  await project.bin("webpack", ["--config", "webpack.config.cjs"]);
  expect(await printed("webpack/out.mjs")).toBe("works");
});

test.each([
  ["a program that imports the package", "no"],
  ["a program that includes the package", "yes"],
])("built by Vite for the server, %s works", async (_what, whole) => {
  const out = `vite-${whole}`;
  await project.bin("vite", ["build"], { OUT: out, WHOLE: whole });
  expect(await printed(`${out}/program.mjs`)).toBe("works");
});
