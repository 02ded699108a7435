import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { installTools } from "#tools";

const root = join(import.meta.dirname, "../..");
const folders = ["server/src/rules", "server/src/operations"];
/** The shapes of responses: the tests over HTTP prove them, and none of those run here. */
const shapes = "resources.ts";

const command = new Command("npm run mutants --")
  .description(
    `Stryker changes the sources of the rules and operations, one place at a time, in a copy of the repository, and
reports each change that no test notices. It fails below 85 %. The shapes of responses are left out. It keeps its results in test/mutants/dist, so the next
run tries again only what changed. Constants of modules are left as they are: each would need all tests.

Other options are those of "stryker run": --mutate server/src/rules/line.ts, or --force to try everything again.`,
  )
  .option("--every <n>", "try a sample: the mutants within each Nth line", Number)
  .option("--from <k>", "the first line of the sample", Number, 1)
  .allowUnknownOption()
  .allowExcessArguments()
  .parse();

const { every, from } = command.opts();
const sample = every === undefined ? [] : ["--mutate", linesOf(every, from).join(",")];
const stryker = join(installTools("mutants"), "node_modules/@stryker-mutator/core/bin/stryker.js");
const { status } = spawnSync(
  process.execPath,
  [stryker, "run", "test/mutants/stryker.config.json", ...sample, ...command.args],
  { cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;

/** Each Nth line of all sources, as Stryker reads it: `file:line-line`. */
function linesOf(every, from) {
  const all = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name !== shapes)
      .flatMap((name) =>
        readFileSync(join(root, folder, name), "utf8")
          .split("\n")
          .map((_, index) => `${folder}/${name}:${index + 1}-${index + 1}`),
      ),
  );
  return all.filter((_, index) => (index + 1) % every === from % every);
}
