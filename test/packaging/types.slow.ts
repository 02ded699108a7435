import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { installTools } from "#tools";
import { matrix } from "../support/matrix.js";
import { Project } from "../support/project.js";
import { fetched, traced, typed } from "./programs.js";

/** The supported compilers, as package aliases; the one that is most likely to fail last. */
const compilers = {
  "typescript-7": "7.0.2",
  "typescript-5.9": "5.9.3",
  "typescript-5.4": "5.4.5",
} as const;

/** Without the types of tracing, which are an optional dependency, of undici and of Bun; and with them. */
const plain = await Project.make({
  packages: Object.entries(compilers).map(([name, of]) => `${name}@npm:typescript@${of}`),
});
const traceable = await Project.make({
  packages: ["@opentelemetry/api@1.9.0", "undici@7.30.2", "@types/bun@1.4.5"],
});

const resolutions = [
  { name: "bundler", options: { module: "esnext", moduleResolution: "bundler" } },
  { name: "node16", options: { module: "node16", moduleResolution: "node16" } },
  { name: "nodenext", options: { module: "nodenext", moduleResolution: "nodenext" } },
];

/** The web types come from the DOM library, or from `@types/node`. */
const web = { lib: ["es2022", "dom", "dom.iterable"], types: [] };
const packages = dirname(createRequire(import.meta.url).resolve("@types/node/package.json"));
const node = { lib: ["es2022"], types: ["node"], typeRoots: [join(packages, "..")] };

describe.each(matrix(Object.keys(compilers)))("with %s", (compiler) => {
  /** The errors of the compiler in a program that exists as ES module and as CommonJS. */
  async function compilerErrors(
    project: Project,
    folder: string,
    text: string,
    options: object,
  ): Promise<string> {
    const programs = ["program.mts", "program.cts"];
    for (const name of programs) await project.write(`${folder}/${name}`, text);
    const compilerOptions = {
      target: "es2022",
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      ...options,
    };
    const config = JSON.stringify({ compilerOptions, files: programs });
    const written = await project.write(`${folder}/tsconfig.json`, config);
    const tsc = plain.inPackage(compiler, "bin/tsc");
    return project.run(process.execPath, [tsc, "-p", written]).then(
      () => "",
      (error: Error) => error.message,
    );
  }

  const strictest = { exactOptionalPropertyTypes: true, skipLibCheck: false };
  // Without library checks, a type that cannot be found is silently `any`.
  const programs: [string, Project, string, object][] = [
    ["with the types of the web", plain, typed, { ...web, ...strictest }],
    ["with tracing", traceable, traced, { ...web, ...strictest }],
    ["with the fetch of undici", traceable, fetched, { ...node, lib: web.lib }],
    ["with the fetch of Bun", traceable, fetched, { lib: ["es2023"], types: ["bun"] }],
    ["with the types of Node", plain, typed, node],
  ];

  describe.each(matrix(resolutions))("the types compile under $name,", ({ name, options }) => {
    test.each(programs)("%s", async (what, project, text, more) => {
      const folder = `${compiler}-${name}-${what.replaceAll(" ", "-")}`;
      const all = { skipLibCheck: true, ...more, ...options };
      expect(await compilerErrors(project, folder, text, all)).toBe("");
    });
  });
});

test.each(["testkit", "sdk"])(
  "the types of the packed package %s pass are-the-types-wrong",
  async (workspace) => {
    const attw = join(installTools("types"), "node_modules/.bin/attw");
    const project = await Project.make({ workspaces: [] });
    const tarball = await project.pack(workspace);
    const output = await project.run(attw, [tarball, "--format", "json"]);
    expect(JSON.parse(output).problems).toEqual({});
  },
  120_000,
);
