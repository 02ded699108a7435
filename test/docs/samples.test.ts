import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { routes } from "@queue-api/contract";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { wholeMatrix } from "../support/matrix.js";
import { completed, lacks } from "../support/run.js";
import { wideKey } from "../support/seed.js";
import { served } from "../support/served.js";
import { testService } from "../support/service.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const service = await testService();

const withoutCurl = lacks("curl");

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
    const send = async () =>
      (await completed("sh", ["-c", line], { env })).stdout.split("\r\n\r\n");
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

interface Language {
  readonly name: string;
  /** As the pages mark its samples. */
  readonly fence: string;
  readonly lacking: string;
  readonly extension: string;
  /** Checks and compiles the samples in a folder. */
  compile?(folder: string, files: readonly string[]): Promise<void>;
  /** The command that runs the sample of an operation. */
  command(operation: string): readonly [string, ...string[]];
}

const curl: Language = {
  name: "curl",
  fence: "sh",
  lacking: withoutCurl,
  extension: "sh",
  command: (operation) => ["sh", `${operation}.sh`],
};

const python: Language = {
  name: "Python",
  fence: "python",
  lacking: lacks("python3"),
  extension: "py",
  command: (operation) => ["python3", `${operation}.py`],
};

const typescript: Language = {
  name: "TypeScript, which compiles unchanged",
  fence: "typescript",
  lacking: "",
  extension: "ts",
  async compile(folder, files) {
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const options = ["--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2023"];
    const types = ["--lib", "es2023", "--types", "node", "--moduleDetection", "force"];
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    await completed(process.execPath, [tsc, ...options, ...types, ...files], { cwd: folder });
  },
  command: (operation) => [process.execPath, `${operation}.js`],
};

const go: Language = {
  name: "Go, formatted",
  fence: "go",
  lacking: wholeMatrix ? lacks("go") : " (compiles for long: only with the whole matrix)",
  extension: "go",
  async compile(folder, files) {
    expect((await completed("gofmt", ["-l", "."], { cwd: folder })).stdout).toBe("");
    for (const file of files) await completed("go", ["vet", file], { cwd: folder });
  },
  command: (operation) => ["go", "run", `${operation}.go`],
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

async function sampleOf(operation: string, { fence }: Language): Promise<string> {
  const page = await (await fetch(`${service.url}/docs/reference/${operation}.md`)).text();
  const [, code = ""] = new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\`$`, "ms").exec(page) ?? [];
  return code;
}

/** Puts the samples of operations into a folder. Returns what runs one of them there. */
async function prepared({ extension, compile, command }: Language, samples: Map<string, string>) {
  const folder = temporaryFolder();
  const files = [...samples.keys()].map((operation) => `${operation}.${extension}`);
  const codes = [...samples.values()];
  for (const [at, file] of files.entries()) await writeFile(join(folder, file), codes[at] ?? "");
  await compile?.(folder, files);
  return (operation: string, key: string) => {
    const [program, ...args] = command(operation);
    const { PATH, HOME } = process.env;
    return completed(program, args, { cwd: folder, env: { PATH, HOME, QUEUE_API_KEY: key } });
  };
}

const languages = [curl, python, typescript, go];

describe("the samples of the reference, copied from its pages, print the shown output", () => {
  for (const language of languages) {
    const { name, lacking } = language;
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
      const samples = new Map<string, string>();
      for (const operation of operations) {
        let code = await sampleOf(operation, language);
        for (const [name, example] of await exampleIds()) {
          const isCanceled = operation === "cancelEntry" && name === "entryId";
          code = code.replaceAll(example, ids[isCanceled ? "canceledId" : name] ?? "");
        }
        samples.set(operation, code);
      }
      const runSample = await prepared(language, samples);
      const checked = operations.map(async (operation) => {
        const { stdout } = await runSample(operation, clinic.key());
        for (const part of printed[operation] ?? [/the table has no such operation/]) {
          const text = typeof part === "string" ? new RegExp(ids[part] ?? "no id") : part;
          expect(stdout, operation).toMatch(text);
        }
      });
      await Promise.all(checked);
      expect((await clinic.client().entries(clinic.queue())).data).toHaveLength(3);
    });
  }
});

describe("no sample follows a redirect, with the key or without", () => {
  for (const language of languages) {
    const { name, lacking } = language;
    test.skipIf(lacking).for(["createEntry", "getIndex"])(`${name}: %s${lacking}`, async (id) => {
      const followed = vi.fn();
      const elsewhere = await served((_, res) => {
        followed();
        res.end('{"data":{}}');
      });
      const asked = vi.fn();
      const redirecting = await served(({ method, url }, res) => {
        asked(method);
        res.writeHead(302, { Location: elsewhere + url }).end();
      });
      const code = (await sampleOf(id, language)).replaceAll(service.url, redirecting);
      const runSample = await prepared(language, new Map([[id, code]]));
      await runSample(id, "svc_live_x").catch(() => null); // whether it fails is its language's custom
      expect(asked).toHaveBeenCalledExactlyOnceWith(id === "getIndex" ? "GET" : "POST");
      expect(followed).not.toHaveBeenCalled();
    });
  }
});
