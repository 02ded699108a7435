import { execFile, spawnSync } from "node:child_process";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { type Samples, samplesIn } from "./support/samples.js";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const service = await testService();

const separator = "=== the next sample ===";

/** Runs the samples one after another in one process, which prints the separator before each. */
async function runAll(
  { all, key }: Samples,
  command: string,
  args: readonly string[],
): Promise<Map<string, string>> {
  const env = { PATH: process.env.PATH, QUEUE_API_KEY: key };
  const { stdout } = await run(command, [...args], { env, maxBuffer: 1 << 24 });
  const [, ...outputs] = stdout.split(`${separator}\n`);
  return new Map(all.map(({ operation }, at) => [operation, outputs[at] ?? ""]));
}

const lacks = (program: string) =>
  spawnSync(program, ["--version"]).error ? ` (needs ${program})` : "";

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
    const send = async () => (await run("sh", ["-c", line], { env })).stdout.split("\r\n\r\n");
    const [head, entry] = await send();
    const [headAgain, entryAgain] = await send();
    expect(head).toMatch(/^HTTP\/1.1 201 /);
    expect(head).not.toMatch(/^idempotent-replay/im);
    expect(headAgain).toMatch(/^idempotent-replay: true$/im);
    expect(entryAgain).toBe(entry);
  },
);

describe("the samples of the reference, copied from its pages, print the shown output", () => {
  test.skipIf(lacks("curl"))(`curl${lacks("curl")}`, async () => {
    const samples = await samplesIn(service, "curl");
    const lines = samples.all.map(
      ({ code }) => `echo "${separator}"\n${code.replace(/^curl/, "curl -sS")}`,
    );
    await samples.check(await runAll(samples, "sh", ["-c", lines.join("\n")]));
  });

  test.skipIf(lacks("python3"))(`Python${lacks("python3")}`, async () => {
    const samples = await samplesIn(service, "python");
    const codes = JSON.stringify(JSON.stringify(samples.all.map(({ code }) => code)));
    const program = `import json
for code in json.loads(${codes}):
    print(${JSON.stringify(separator)})
    exec(code, {})`;
    await samples.check(await runAll(samples, "python3", ["-c", program]));
  });

  test("TypeScript, which compiles unchanged", async () => {
    const folder = temporaryFolder();
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    const samples = await samplesIn(service, "typescript");
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
    for (const { operation, code } of samples.all) {
      await writeFile(join(folder, `${operation}.ts`), `${code}\nexport {};\n`);
    }
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    const { stdout: compilerErrors } = await run(process.execPath, [tsc, "-p", folder]).catch(
      (failed: { stdout: string }) => failed,
    );
    expect(compilerErrors).toBe("");
    const imports = samples.all.map(
      ({ operation }) =>
        `console.log(${JSON.stringify(separator)});\nawait import("./${operation}.js");`,
    );
    const program = join(folder, "out/all.js");
    await writeFile(program, imports.join("\n"));
    await samples.check(await runAll(samples, process.execPath, [program]));
  });
});
