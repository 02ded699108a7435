import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matrix } from "../support/matrix.js";
import { Installed } from "./installed.js";
import { itemsAreTyped, typed } from "./programs.js";

const run = promisify(execFile);

/** The supported compilers, as package aliases; the one that is most likely to fail last. */
const compilers = {
  "typescript-7": "7.0.2",
  "typescript-5.9": "5.9.3",
  "typescript-5.4": "5.4.5",
} as const;

let installed: Installed;

beforeAll(async () => {
  installed = await Installed.make();
  const specs = Object.entries(compilers).map(([name, of]) => `${name}@npm:typescript@${of}`);
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"];
  await run("npm", [...install, ...specs], { cwd: installed.folder });
});
afterAll(() => installed.remove());

const resolutions = {
  node16: { module: "node16", moduleResolution: "node16" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
} as const;

/** The web types come from the DOM library, or from `@types/node`. */
const web = { lib: ["es2022", "dom", "dom.iterable"], types: [] };
const packages = dirname(createRequire(import.meta.url).resolve("@types/node/package.json"));
const node = { lib: ["es2022"], types: ["node"], typeRoots: [join(packages, "..")] };

describe.each(matrix(Object.keys(compilers)))("with %s", (compiler) => {
  /** The errors of the compiler in programs that exist as ES module and as CommonJS. */
  async function compilerErrors(folder: string, text: string, options: object): Promise<string> {
    const programs = ["typed.mts", "typed.cts"];
    for (const name of programs) await installed.write(`${folder}/${name}`, text);
    const compilerOptions = {
      target: "es2022",
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      ...options,
    };
    const config = JSON.stringify({ compilerOptions, files: programs });
    const project = await installed.write(`${folder}/tsconfig.json`, config);
    const tsc = join(installed.folder, "node_modules", compiler, "bin/tsc");
    return run(process.execPath, [tsc, "-p", project]).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
  }

  test.each(Object.entries(resolutions))(
    "the types compile under %s, with library checks",
    async (name, options) => {
      const folder = `${compiler}-${name}`;
      const strictest = {
        ...web,
        ...options,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
      };
      expect(await compilerErrors(folder, typed, strictest)).toBe("");
    },
  );

  test.each(Object.entries(resolutions))(
    "iterated values are not any under %s, without library checks",
    async (name, options) => {
      for (const [of, library] of Object.entries({ web, node })) {
        const folder = `${compiler}-${name}-${of}-unchecked`;
        const usual = { ...library, ...options, skipLibCheck: true };
        expect(await compilerErrors(folder, itemsAreTyped, usual)).toBe("");
      }
    },
  );
});
