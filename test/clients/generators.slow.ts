import { spawnSync } from "node:child_process";
import { copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importTool, installTools } from "#tools";
import { type Json, type Operation, operations } from "../contract/document.js";
import { matrix } from "../support/matrix.js";
import { completed } from "../support/run.js";
import { journey, type Stage, stage } from "./journey.js";

/** The path of a file or folder beside this file. */
const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));

async function run(command: string, args: readonly string[], cwd: string, env = {}) {
  const { stdout } = await completed(command, args, { cwd, env: { ...process.env, ...env } });
  return stdout;
}

interface Generator {
  readonly name: string;
  /** Its program, and what prints its version. */
  readonly needs: readonly [string, string];
  /** Generates a client in the folder of a stage and compiles it with its journey. Returns the names of its types. */
  generate(stage: Stage): Promise<readonly string[]>;
  /** The journey's program and arguments. */
  readonly start: readonly [string, ...string[]];
  /** Where it starts, below the folder of the stage. */
  readonly folder?: string;
}

const go: Generator = {
  name: "oapi-codegen for Go",
  needs: ["go", "version"],
  async generate({ folder, documentFile }) {
    const project = join(folder, "project");
    const env = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly" };
    await cp(beside("go"), project, { recursive: true });
    await mkdir(join(project, "client"));
    for (const part of ["types", "client"]) {
      const target = ["-generate", part, "-package", "client", "-o", `client/${part}.gen.go`];
      await run("go", ["tool", "oapi-codegen", ...target, documentFile], project, env);
    }
    await run("go", ["build", "-o", "journey", "."], project, env);
    const types = namesIn(
      await readFile(join(project, "client/types.gen.go"), "utf8"),
      /^type (\w+)/gm,
    );
    return types.filter((type) => !isOfOperation(type));
  },
  start: ["./journey"],
  folder: "project",
};

/** In Go, parameters and bodies have the name of their operation. */
function isOfOperation(type: string): boolean {
  const [, name = ""] = /^(\w+?)(Params|JSONRequestBody)$/.exec(type) ?? [];
  const named = ({ operation }: Operation) => `${operation.operationId}`.toLowerCase();
  return operations.some((operation) => named(operation) === name.toLowerCase());
}

const python: Generator = {
  name: "openapi-python-client",
  needs: ["python3", "--version"],
  async generate({ folder, documentFile }) {
    await run("python3", ["-m", "venv", "venv"], folder);
    const requirements = beside("python/requirements.txt");
    await run("venv/bin/python", ["-m", "pip", "install", "-q", "-r", requirements], folder);
    const target = ["--output-path", "client", "--meta", "none"];
    const generate = ["generate", "--path", documentFile, "--fail-on-warning", ...target];
    const path = `${join(folder, "venv/bin")}:${process.env.PATH}`; // the path of its formatter
    await run("venv/bin/openapi-python-client", generate, folder, { PATH: path });
    await run("venv/bin/python", ["-m", "compileall", "-q", "client"], folder);
    await copyFile(beside("python/journey.py"), join(folder, "journey.py"));
    const models = join(folder, "client/models");
    const files = (await readdir(models)).filter((name) => name.endsWith(".py"));
    const texts = await Promise.all(files.map((name) => readFile(join(models, name), "utf8")));
    return texts.flatMap((text) => namesIn(text, /^class (\w+)/gm));
  },
  start: ["venv/bin/python", "journey.py"],
};

const typescript: Generator = {
  name: "openapi-typescript and openapi-fetch",
  needs: [process.execPath, "--version"],
  async generate({ folder, document }) {
    const { astToString, openapiTypeScript, tsc } = await importTool("openapi", "tools.js");
    const text: string = astToString(await openapiTypeScript(JSON.stringify(document)));
    await writeFile(join(folder, "queue-api.ts"), text);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await copyFile(beside("typescript/journey.ts"), join(folder, "journey.ts"));
    await symlink(join(installTools("openapi"), "node_modules"), join(folder, "node_modules"));
    const strictly = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const target = ["--module", "nodenext", "--target", "es2022", "--types", "node"];
    const library = ["--lib", "es2022,dom,dom.iterable", "--skipLibCheck"];
    const compile = [tsc, ...strictly, ...target, ...library, "journey.ts"];
    await run(process.execPath, compile, folder);
    for (const { operation } of operations) expect(text).toContain(`${operation.operationId}: {`);
    const [, schemas = ""] = /^ {4}schemas: \{\n(.*?)^ {4}\};/ms.exec(text) ?? [];
    expect(schemas).not.toMatch(/^ {9,}\w+\??: \{/m); // no anonymous type
    return namesIn(schemas, /^ {8}(\w+):/gm);
  },
  start: [process.execPath, "journey.js"],
};

const namesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name]) => name ?? "");

describe.each(matrix([go, python, typescript]))(
  "a client by $name",
  ({ name, needs, generate, start: [program, ...args], folder = "." }) => {
    const [needed, version] = needs;
    const lacks = spawnSync(needed, [version]).error ? ` (needs ${needed})` : "";
    if (lacks) console.warn(`SKIPPED ${name}${lacks}`);

    it.skipIf(lacks)(
      `compiles, invents no name, and completes the whole flow${lacks}`,
      async () => {
        const here = await stage();
        const types = await generate(here);
        const { schemas, responses } = here.document.components as Record<string, Json>;
        expect(types).not.toEqual([]);
        expect(types.filter((type) => !(type in { ...schemas, ...responses }))).toEqual([]);
        const output = await run(program, args, join(here.folder, folder), here.env);
        expect(JSON.parse(output)).toEqual(journey);
      },
    );
  },
);
