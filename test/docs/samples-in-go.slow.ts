import { execFile, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { testService } from "../support/service.js";
import { samplesIn } from "./support/samples.js";

const run = promisify(execFile);
const lacks = spawnSync("go", ["version"]).error ? " (needs go)" : "";
if (lacks) console.warn("SKIPPED: the samples in Go, which need go");

const service = await testService();

/** One program with all samples, each under its operation's name, because linking twelve programs is slow. */
const main = (operations: readonly string[]) => `package main

import "os"

func main() {
	map[string]func(){
${operations.map((operation) => `\t\t"${operation}": ${operation},`).join("\n")}
	}[os.Args[1]]()
}
`;

test.skipIf(lacks)(
  `the samples of the reference in Go${lacks}, copied from its pages, print the shown output`,
  async () => {
    const folder = temporaryFolder();
    const samples = await samplesIn(service, "go");
    for (const { operation, code } of samples.all) {
      const renamed = code.replace("func main() {", `func ${operation}() {`);
      expect(renamed).not.toBe(code);
      await writeFile(join(folder, `${operation}.go`), `${renamed}\n`);
    }
    const { stdout: unformatted } = await run("gofmt", ["-l", "."], { cwd: folder });
    expect(unformatted).toBe("");
    await writeFile(join(folder, "main.go"), main(samples.all.map(({ operation }) => operation)));
    await writeFile(join(folder, "go.mod"), "module samples\n\ngo 1.20\n");
    await run("go", ["vet", "."], { cwd: folder });
    await run("go", ["build", "-o", "samples", "."], { cwd: folder });
    const env = { PATH: process.env.PATH, QUEUE_API_KEY: samples.key };
    const outputs = new Map<string, string>();
    for (const { operation } of samples.all) {
      const { stdout } = await run(join(folder, "samples"), [operation], { env });
      expect(stdout).toMatch(/^20[01] /);
      outputs.set(operation, stdout);
    }
    await samples.check(outputs);
  },
);
