import { copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { installTools } from "#tools";
import { document, type Json, type Operation, operations } from "../contract/document.js";
import { atEnd } from "../support/at-end.js";
import { temporaryFolder } from "../support/folder.js";
import { listen } from "../support/listen.js";
import { matrix } from "../support/matrix.js";
import { completed, lacks } from "../support/run.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const run = (command: string, args: readonly string[], cwd: string, env = {}) =>
  completed(command, args, { cwd, env: { ...process.env, ...env } });

/** The environment of a generated client for the whole flow: a real service, and a server that fails. */
async function stage() {
  const folder = temporaryFolder();
  const service = await testService();
  const served = await service.stranger().get("/v1/openapi.json");
  const documentFile = join(folder, "openapi.json");
  await writeFile(documentFile, served.text);

  const entries = [1, 2, 3].map((at) => ({ name: `Customer ${at}`, phone: "919800000001" }));
  const clinic = await service.clinic({
    queues: [{ ref: "front", name: "Front desk", entries }],
    keys: [mainKey, { ref: "read", name: "Reads", scopes: ["queue:read"] }],
  });
  return {
    folder,
    /** The path of a file with the served OpenAPI document. */
    documentFile,
    env: {
      BASE_URL: service.url,
      FAILING_URL: await failingServer(),
      QUEUE_ID: clinic.queue(),
      MAIN_KEY: clinic.key("main"),
      READ_KEY: clinic.key("read"),
    },
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** The expected output of every client: the flow, and an error of each shape. */
const journey = {
  me: "Sunrise Clinic",
  created: [201, "A4", 4],
  located: true,
  replayed: ["true", true],
  pages: [["A1", "A2", "A3"], ["A4"]],
  canceled: "CANCELED",
  refused: [
    "400 invalid_request name phone",
    "403 insufficient_scope queue:write",
    "409 invalid_state",
    "403 region_blocked",
    "502 without an error",
  ],
};

/** A server on which every request fails: with a code of a later version, or at a gateway. */
async function failingServer(): Promise<string> {
  const requestId = "0d5b8b0e-6a55-4b4c-9a51-8f7a5f0d8c11";
  const docUrl = "https://queue.example/docs/errors#region_blocked";
  const error = { code: "region_blocked", message: "Refused.", requestId, docUrl };
  const server = createServer((req, res) => {
    if (req.url?.startsWith("/region_blocked/")) {
      res.writeHead(403, { "Content-Type": "application/json; charset=utf-8" });
      res.end(JSON.stringify({ error }));
    } else res.writeHead(502, { "Content-Type": "text/html" }).end("<h1>502 Bad Gateway</h1>");
  });
  atEnd(async () => void server.close());
  return listen(server);
}

interface Generator {
  readonly name: string;
  /** Its program. */
  readonly needs: string;
  /** Generates a client in the folder of a stage and compiles it with its journey. Returns the names of its types. */
  generate(stage: Stage): Promise<readonly string[]>;
  /** What runs the journey, in the folder of the stage. */
  readonly start: readonly [string, ...string[]];
}

const go: Generator = {
  name: "oapi-codegen for Go",
  needs: "go",
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
  start: ["project/journey"],
};

/** In Go, parameters and bodies have the name of their operation. */
function isOfOperation(type: string): boolean {
  const [, name = ""] = /^(\w+?)(Params|JSONRequestBody)$/.exec(type) ?? [];
  const named = ({ operation }: Operation) => `${operation.operationId}`.toLowerCase();
  return operations.some((operation) => named(operation) === name.toLowerCase());
}

const python: Generator = {
  name: "openapi-python-client",
  needs: "python3",
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
  needs: process.execPath,
  async generate({ folder, documentFile }) {
    const tools = join(installTools("openapi"), "node_modules");
    const generated = join(folder, "queue-api.ts");
    await run(join(tools, ".bin/openapi-typescript"), [documentFile, "-o", generated], folder);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await copyFile(beside("typescript/journey.ts"), join(folder, "journey.ts"));
    await symlink(tools, join(folder, "node_modules"));
    const strictly = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const target = ["--module", "nodenext", "--target", "es2022", "--types", "node"];
    const library = ["--lib", "es2022,dom,dom.iterable", "--skipLibCheck"];
    const compile = [...strictly, ...target, ...library, "journey.ts"];
    await run(join(tools, ".bin/tsc"), compile, folder);
    const text = await readFile(generated, "utf8");
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
  ({ name, needs, generate, start: [program, ...args] }) => {
    const lacking = lacks(needs);
    if (lacking) console.warn(`SKIPPED ${name}${lacking}`);

    it.skipIf(lacking)(
      `compiles, invents no name, and completes the whole flow${lacking}`,
      async () => {
        const here = await stage();
        const types = await generate(here);
        const { schemas, responses } = document.components as Record<string, Json>;
        expect(types).not.toEqual([]);
        expect(types.filter((type) => !(type in { ...schemas, ...responses }))).toEqual([]);
        const { stdout } = await run(program, args, here.folder, here.env);
        expect(JSON.parse(stdout)).toEqual(journey);
      },
    );
  },
);
