import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { version } from "../../sdk/src/generated/version.js";
import { completed } from "../support/run.js";
import { manifestOf, published, repository } from "./workspace.js";

interface Report {
  readonly files: readonly { readonly path: string }[];
}

/** What npm would publish from a folder, and its warnings about the package. */
async function dryRun(folder: string) {
  const args = ["publish", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout, stderr } = await completed("npm", args, { cwd: join(repository, folder) });
  const printed = JSON.parse(stdout.slice(stdout.indexOf("{")));
  // npm 10 reports one package, npm 11 an object of packages by name.
  const report: Report = Array.isArray(printed.files) ? printed : Object.values(printed)[0];
  // Not of the package: npm has no login here, or does not know a user setting.
  const ofOthers = /requires you to be logged in|Unknown \w+ config/;
  const warnings = stderr
    .split("\n")
    .filter((line) => /^npm (warn|error)/i.test(line) && !ofOthers.test(line));
  return { files: report.files.map(({ path }) => path), warnings };
}

const beside = ["AGENTS.md", "LICENSE", "README.md", "package.json"];

/** Whether a package may contain a file: no tests, build caches, secrets or databases. */
const belongs = (path: string) =>
  (beside.includes(path) || /^(assets|bin|dist|docs|src)\//.test(path)) &&
  !/\.test\.|\.tsbuildinfo$|(^|\/)\.|\.db$|\.log$|\.tgz$/.test(path);

const targetsOf = (exported: unknown): string[] =>
  typeof exported === "string" ? [exported] : Object.values(exported as object).flatMap(targetsOf);

describe.each(published)("the package in %s", (folder) => {
  test("is published without a warning, a missing file or an unexpected file", async () => {
    const { files, warnings } = await dryRun(folder);
    expect(warnings).toEqual([]);
    expect(files.filter((path) => !belongs(path))).toEqual([]);
    const { exports, bin = {} } = await manifestOf(folder);
    const named = [...targetsOf(exports), ...Object.values(bin)];
    const needed = [...beside, ...named.map((path) => path.replace(/^\.\//, ""))];
    expect(files).toEqual(expect.arrayContaining(needed));
  });

  test("is public, has provenance, and wants its own version of the others", async () => {
    const { publishConfig, dependencies = {}, version } = await manifestOf(folder);
    expect(publishConfig).toEqual({ access: "public", provenance: true });
    const siblings = Object.entries(dependencies).filter(([name]) => name.startsWith("@queue-api"));
    expect(siblings).toEqual(siblings.map(([name]) => [name, version]));
  });
});

test("all packages have the same version, and the SDK states it", async () => {
  const manifests = await Promise.all(published.map(manifestOf));
  expect(new Set(manifests.map(({ version }) => version))).toEqual(new Set([version]));
});
