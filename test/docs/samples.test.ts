import { execFile, spawnSync } from "node:child_process";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { routes } from "@queue-api/contract";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { listen } from "../support/listen.js";
import { wholeMatrix } from "../support/matrix.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const service = await testService();

/** Why this machine cannot run a program, as the end of a title; empty if it can. */
const lacks = (program: string, ...version: string[]) =>
  spawnSync(program, version).error ? ` (needs ${program})` : "";

const withoutCurl = lacks("curl", "--version");

test.skipIf(withoutCurl)(
  `the line of the guide creates one token, and shows that the second time is a replay${withoutCurl}`,
  async () => {
    const guide = await readFile(join(repository, "docs/first-token.md"), "utf8");
    const [, line = ""] = /^## Create the token\n.*?^```sh\n(.*?)^```$/ms.exec(guide) ?? [];
    const clinic = await service.clinic({ keys: [wideKey] });
    const env = {
      PATH: process.env.PATH,
      QUEUE_API_BASE_URL: service.url,
      QUEUE_API_KEY: clinic.key(),
      QUEUE: clinic.queue(),
    };
    const send = async () => (await run("sh", ["-c", line], { env })).stdout.split("\r\n\r\n");
    const [head, entry] = await send();
    const [headAgain, entryAgain] = await send();
    expect(head).toMatch(/^HTTP\/1.1 201 /);
    expect(head).not.toMatch(/^idempotent-replay/im);
    expect(headAgain).toMatch(/^idempotent-replay: true$/im);
    expect(entryAgain).toBe(entry);
  },
);

const operations = Object.values(routes)
  .flatMap((noun) => Object.values(noun))
  .map(({ metadata }) => metadata.operationId);

/** What each sample prints: the id of a name, or a text. */
const printed: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  getMe: [/Sunrise Clinic/],
  listServices: ["serviceId"],
  listQueues: ["queueId"],
  getQueue: ["queueId", /inService/],
  listEntries: ["entryId", /WAITING/],
  createEntry: ["serviceId", /Customer 1/, /position/],
  getEntry: ["entryId", /position/],
  cancelEntry: ["canceledId", /CANCELED/],
  listAppointments: ["appointmentId"],
  getAppointment: ["appointmentId"],
  getOpenApi: [/3\.1\.\d/],
  getIndex: [/Queue API/],
};

interface Sample {
  readonly operation: string;
  readonly code: string;
}

const separator = "=== the next sample ===";

interface Language {
  readonly name: string;
  /** As the pages mark its samples. */
  readonly fence: string;
  readonly lacking: string;
  /** The command that runs all samples one after another, and prints the separator before each. */
  command(samples: readonly Sample[], folder: string): Promise<readonly [string, ...string[]]>;
}

const curl: Language = {
  name: "curl",
  fence: "sh",
  lacking: withoutCurl,
  async command(samples) {
    const lines = samples.map(({ code }) => code.replace(/^curl/, "curl -sS"));
    return ["sh", "-c", lines.map((line) => `echo "${separator}"\n${line}`).join("\n")];
  },
};

const python: Language = {
  name: "Python",
  fence: "python",
  lacking: lacks("python3", "--version"),
  async command(samples) {
    const codes = JSON.stringify(JSON.stringify(samples.map(({ code }) => code)));
    const program = `import json
for code in json.loads(${codes}):
    print(${JSON.stringify(separator)})
    exec(code, {})`;
    return ["python3", "-c", program];
  },
};

const typescript: Language = {
  name: "TypeScript, which compiles unchanged",
  fence: "typescript",
  lacking: "",
  async command(samples, folder) {
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    const compilerOptions = {
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      strict: true,
      types: ["node"],
      skipLibCheck: true,
      outDir: "out",
      rootDir: ".",
    };
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    for (const { operation, code } of samples) {
      await writeFile(join(folder, `${operation}.ts`), `${code}\nexport {};\n`);
    }
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    const { stdout: compilerErrors } = await run(process.execPath, [tsc, "-p", folder]).catch(
      (failed: { stdout: string }) => failed,
    );
    expect(compilerErrors).toBe("");
    const imports = samples.map(({ operation }) => {
      return `console.log(${JSON.stringify(separator)});\nawait import("./${operation}.js");`;
    });
    const program = join(folder, "out/all.js");
    await writeFile(program, imports.join("\n"));
    return [process.execPath, program];
  },
};

/** One program with all samples, each a function, because linking twelve programs is slow. */
const go: Language = {
  name: "Go, formatted",
  fence: "go",
  lacking: wholeMatrix
    ? lacks("go", "version")
    : " (compiles for long: only with the whole matrix)",
  async command(samples, folder) {
    const calls = samples.map(({ operation }) => {
      return `\tfmt.Println(${JSON.stringify(separator)})\n\t${operation}()\n`;
    });
    const main = `package main\n\nimport "fmt"\n\nfunc main() {\n${calls.join("")}}\n`;
    await writeFile(join(folder, "main.go"), main);
    await writeFile(join(folder, "go.mod"), "module samples\n\ngo 1.20\n");
    for (const { operation, code } of samples) {
      const renamed = code.replace("func main() {", `func ${operation}() {`);
      await writeFile(join(folder, `${operation}.go`), renamed);
    }
    expect((await run("gofmt", ["-l", "."], { cwd: folder })).stdout).toBe("");
    await run("go", ["vet", "."], { cwd: folder });
    await run("go", ["build", "-o", "samples", "."], { cwd: folder });
    return [join(folder, "samples")];
  },
};

/** The examples of the OpenAPI document that stand for ids of a reader, by parameter or field. */
async function exampleIds(): Promise<ReadonlyMap<string, string>> {
  const document = await (await fetch(`${service.url}/v1/openapi.json`)).text();
  const found = new Map<string, string>();
  JSON.parse(document, (name, value) => {
    if (value?.in === "path") found.set(value.name, value.example);
    if (name === "serviceId" && typeof value === "string") found.set(name, value);
    return value;
  });
  return found;
}

async function sampleOf(operation: string, fence: string): Promise<Sample> {
  const page = await (await fetch(`${service.url}/docs/reference/${operation}.md`)).text();
  const [, code = ""] = new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\`$`, "ms").exec(page) ?? [];
  return { operation, code };
}

const languages = [curl, python, typescript, go];

describe("the samples of the reference, copied from its pages, print the shown output", () => {
  for (const { name, fence, lacking, command } of languages) {
    test.skipIf(lacking)(`${name}${lacking}`, async () => {
      const clinic = await service.clinic({
        queues: [
          { ref: "front", name: "Front desk", entries: [{ ref: "read" }, { ref: "canceled" }] },
        ],
        appointments: [{ ref: "checkup", slotTime: "10:30" }],
        keys: [wideKey],
      });
      const ids: Readonly<Record<string, string>> = {
        queueId: clinic.queue(),
        serviceId: clinic.service(),
        appointmentId: clinic.appointment("checkup"),
        entryId: clinic.entry("read"),
        canceledId: clinic.entry("canceled"),
      };
      const examples = await exampleIds();
      const ownSampleOf = async (operation: string) => {
        let { code } = await sampleOf(operation, fence);
        for (const [name, example] of examples) {
          const isCanceled = operation === "cancelEntry" && name === "entryId";
          code = code.replaceAll(example, ids[isCanceled ? "canceledId" : name] ?? "");
        }
        return { operation, code };
      };
      const samples = await Promise.all(operations.map(ownSampleOf));
      const [program, ...args] = await command(samples, temporaryFolder());
      const env = { PATH: process.env.PATH, QUEUE_API_KEY: clinic.key() };
      const { stdout } = await run(program, args, { env, maxBuffer: 1 << 24 });
      const [, ...outputs] = stdout.split(`${separator}\n`);
      expect(outputs).toHaveLength(operations.length);
      for (const [at, operation] of operations.entries()) {
        for (const part of printed[operation] ?? [/the table has no such operation/]) {
          const text = typeof part === "string" ? new RegExp(ids[part] ?? "no id") : part;
          expect(outputs[at], operation).toMatch(text);
        }
      }
      expect((await clinic.client().entries(clinic.queue())).data).toHaveLength(3);
    });
  }
});

describe("no sample follows a redirect, with the key or without", () => {
  for (const { name, fence, lacking, command } of languages) {
    test.skipIf(lacking).for(["createEntry", "getIndex"])(`${name}: %s${lacking}`, async (id) => {
      const followed = vi.fn();
      const elsewhere = await listening((_, res) => {
        followed();
        res.end('{"data":{}}');
      });
      const asked = vi.fn();
      const redirecting = await listening(({ method, url }, res) => {
        asked(method);
        res.writeHead(302, { Location: elsewhere + url }).end();
      });
      const { operation, code } = await sampleOf(id, fence);
      const sample = { operation, code: code.replaceAll(service.url, redirecting) };
      const [program, ...args] = await command([sample], temporaryFolder());
      const env = { PATH: process.env.PATH, QUEUE_API_KEY: "svc_live_x" };
      await run(program, args, { env }).catch(() => null); // whether it fails is its language's custom
      expect(asked).toHaveBeenCalledExactlyOnceWith(id === "getIndex" ? "GET" : "POST");
      expect(followed).not.toHaveBeenCalled();
    });
  }
});

/** Starts a server until the test ends, and returns its address. */
async function listening(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  onTestFinished(() => void server.close());
  return listen(server);
}
