import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installTools } from "#tools";

/**
 * `npm run mutants`: Stryker changes the sources of rules and operations, one place at a time, in a copy of the
 * repository, and reports each change that no test notices. It fails below 85 %. Arguments are those of `stryker run`:
 * `npm run mutants -- --mutate server/src/rules/line.ts`. The results are kept in `test/mutants/dist`, so that the next
 * run tries again only what changed; `--force` tries everything.
 */
const root = join(import.meta.dirname, "../..");
const stryker = join(installTools("mutants"), "node_modules/@stryker-mutator/core/bin/stryker.js");
const { status } = spawnSync(
  process.execPath,
  [stryker, "run", "test/mutants/stryker.config.json", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;
