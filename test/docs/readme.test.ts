import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { defaults } from "../../sdk/src/settings.js";
import { watchDefaults } from "../../sdk/src/watch.js";
import { temporaryFolder } from "../support/folder.js";
import { start } from "../support/run.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const readme = await readFile(join(repository, "sdk/README.md"), "utf8");
const guide = await readFile(join(repository, "docs/first-token.md"), "utf8");
const kit = await readFile(join(repository, "testkit/README.md"), "utf8");

/** The code blocks in TypeScript, each with its heading. */
const blocks = [readme, guide, kit]
  .flatMap((page) => page.split(/^## /m))
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf("\n"));
    const found = [...section.matchAll(/^```ts\n(.*?)^```$/gms)];
    return found.map(([, code = ""], index) => ({ name: `${heading} ${index + 1}`, code }));
  });

/** The constant part of the output of each block. */
const printed: Readonly<Record<string, RegExp>> = {
  "First call 1": /^A\d+: number \d+ in line\nWAITING \d+ null\n$/,
  "First call 2": /^1 200 [0-9a-f-]{36} 1\n$/,
  "What the API adds later 1": /^(A\d+\n)+\[ 'Consultation' \]\n$/,
  "Errors 1": /^name must be 1 to 120 characters of well-formed Unicode\n$/,
  "Errors 2": /^done\n$/,
  "Retries and idempotency 1": /^A\d+\n$/,
  "Retries and idempotency 2": /^A\d+ \d+ false\n$/,
  "Paging 1": /^(A\d+ .+\n)+(\d+ null [0-9a-f-]{36}\n)1\n$/,
  "Paging 2": /^1 1\n$/,
  "Watching 1": /^added A\d+\n/,
  "Timeouts and aborting 1": /^\d+\n$/,
  "Pacing 1": /^(A\d+ ?){5}\n$/,
  "Connections and proxies 1": /^1\n$/,
  "Keys that change 1": /^queue:read queue:write/,
  "Logging and tracing 1": /^queues\.list, attempt 1\n200 \d+ ms\nqueue-api: queues\.list: 200 /,
  "Logging and tracing 2": /^$/,
  "Next.js 1": /^200\n$/,
  "Testing 1": /^A5 3\n$/,
  "Testing 2": /^true\n$/,
  "The same with the SDK 1": /^A\d+ \d+\n$/,
  "The first test 1": /^13 503\n$/,
  "The first test 2": /^A5 3\n$/,
  "Arrange what a test needs 1": /^4\n$/,
  "Arrange what a test needs 2": /^4\n$/,
  "Arrange what a test needs 3": /^A7 null 2026-11-21T04:40:00.000Z\n$/,
  "Your own data 1": /^\w{24} svc_live_\w{24}_\S+\n$/,
};

/** A block as a program: its imports, and the declarations that the text assumes. */
function programOf(code: string): string {
  const imports = code.match(/^import .*;$/gm) ?? [];
  const rest = code.replaceAll(/^import .*;$\n?/gm, "").replaceAll(/^export /gm, "");
  const handled = rest.includes("function GET()") ? "console.log((await GET()).status);" : "";
  return `import { QueueApi as Client } from "@queue-api/sdk";
${imports.join("\n")}
const queueId = process.env.QUEUE_ID ?? "";
{
  const api = new Client();
  void [api, queueId];
  await (async () => {
${rest}${handled}
  })();
}
export {};
`;
}

const service = await testService();
const folder = temporaryFolder();
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  await mkdir(join(folder, "src"));
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ["node"],
    skipLibCheck: true, // the types of msw need those of a browser
    rootDir: "src",
    outDir: "out",
  };
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const config = { compilerOptions, include: ["src"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  for (const { name, code } of blocks) {
    await writeFile(join(folder, "src", `${fileName(name)}.ts`), programOf(code));
  }
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const compiling = start(process.execPath, [tsc, "-p", folder], { env: process.env });
  const { code, stdout } = await compiling.ended;
  if (code !== 0) throw new Error(stdout);
  const people = [{ name: "Customer 8" }, { name: "Customer 9" }];
  const slot = { date: "2026-11-21", slotTime: "10:30", durationMinutes: 15 };
  const clinic = await service.clinic({
    queues: [{ ref: "front", name: "Front desk", entries: people }],
    appointments: [{ ...slot, status: "CONFIRMED" }],
    keys: [wideKey],
  });
  env = {
    ...process.env,
    QUEUE_API_KEY: clinic.key(),
    QUEUE_API_BASE_URL: service.url,
    QUEUE_ID: clinic.queue(),
  };
});

function fileName(name: string): string {
  return name.replaceAll(" ", "-").toLowerCase();
}

describe("the READMEs of the SDK and the test kit, and the guide to the first token", () => {
  test("have exactly the expected blocks", () => {
    expect(blocks.map(({ name }) => name)).toEqual(Object.keys(printed));
  });

  for (const { name, code } of blocks) {
    test(`${name} runs and prints the expected output`, async () => {
      const compiled = join(folder, "out", `${fileName(name)}.js`);
      const { child, written, ended } = start(process.execPath, [compiled], { env });
      // A block that waits for SIGTERM receives it after its first output.
      if (code.includes("SIGTERM")) child.stdout.once("data", () => child.kill("SIGTERM"));
      expect((await ended).code).toBe(0);
      expect(written.both).toMatch(printed[name] ?? /^unexpected$/);
    });
  }

  test("states the real defaults", () => {
    const section = readme.slice(readme.indexOf("## Defaults"));
    const rows = [...section.matchAll(/^\| `(\w+)`(?: of `watch`)? \| ([\d,]+) \|$/gm)];
    const documented = rows.map(([, name, value = ""]) => [
      name,
      Number(value.replaceAll(",", "")),
    ]);
    expect(Object.fromEntries(documented)).toEqual({ ...defaults, ...watchDefaults });
  });
});
