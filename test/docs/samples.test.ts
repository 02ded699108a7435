import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testService } from "../support/service.js";
import { type Samples, samplesIn } from "./support/samples.js";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const service = await testService();

/** Runs the samples separately, one after another. */
async function runEach(
  { all, key }: Samples,
  command: string,
  args: (code: string) => readonly string[],
): Promise<Map<string, string>> {
  const env = { PATH: process.env.PATH, QUEUE_API_KEY: key };
  const outputs = new Map<string, string>();
  for (const { operation, code } of all) {
    const { stdout } = await run(command, [...args(code)], { env, maxBuffer: 1 << 24 });
    outputs.set(operation, stdout);
  }
  return outputs;
}

const lacks = (program: string) =>
  spawnSync(program, ["--version"]).error ? ` (needs ${program})` : "";

describe("the samples of the reference, copied from its pages, print the shown output", () => {
  test.skipIf(lacks("curl"))(`curl${lacks("curl")}`, async () => {
    const samples = await samplesIn(service, "curl");
    await samples.check(
      await runEach(samples, "sh", (code) => ["-c", code.replace(/^curl/, "curl -sS")]),
    );
  });

  test.skipIf(lacks("python3"))(`Python${lacks("python3")}`, async () => {
    const samples = await samplesIn(service, "python");
    await samples.check(await runEach(samples, "python3", (code) => ["-c", code]));
  });

  describe("TypeScript", () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "queue-api-samples-"));
      await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test("compiles unchanged, and runs", async () => {
      const samples = await samplesIn(service, "typescript");
      const compilerOptions = {
        ...{ target: "es2023", lib: ["es2023"], module: "nodenext", strict: true },
        ...{ types: ["node"], skipLibCheck: true, outDir: "out", rootDir: "." },
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
      const outputs = await runEach(samples, process.execPath, (code) => {
        const found = samples.all.find((sample) => sample.code === code);
        return [join(folder, "out", `${found?.operation}.js`)];
      });
      await samples.check(outputs);
    });
  });
});
