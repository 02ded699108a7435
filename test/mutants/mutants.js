import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installTools } from "#tools";

/**
 * `npm run mutants`: Stryker changes the sources of the rules and operations, one place at a time, in a copy of the
 * repository, and reports each change that no test notices. It fails below 85 %. It keeps its results in
 * `test/mutants/dist`, so the next run tries again only what changed; `--force` tries everything.
 *
 * `--every N` tries a sample, the mutants of each Nth line, and `--from K` starts at another line. Other arguments are
 * those of `stryker run`: `npm run mutants -- --mutate server/src/rules/line.ts`.
 */
const root = join(import.meta.dirname, "../..");
const folders = ["server/src/rules", "server/src/operations"];
const { values, tokens } = parseArgs({
  options: { every: { type: "string" }, from: { type: "string", default: "1" } },
  strict: false,
  tokens: true,
});
const given = process.argv.slice(2);
const own = tokens.filter(
  ({ kind, name }) => kind === "option" && (name === "every" || name === "from"),
);
for (const { index, inlineValue } of own)
  given.fill(undefined, index, index + (inlineValue ? 1 : 2));

const sample =
  values.every === undefined
    ? []
    : ["--mutate", linesOf(Number(values.every), Number(values.from))];
const stryker = join(installTools("mutants"), "node_modules/@stryker-mutator/core/bin/stryker.js");
const { status } = spawnSync(
  process.execPath,
  [
    stryker,
    "run",
    "test/mutants/stryker.config.json",
    ...sample,
    ...given.filter((arg) => arg !== undefined),
  ],
  { cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;

/** Each Nth line of all sources, as Stryker reads it: `file:line-line`. */
function linesOf(every, from) {
  const all = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) =>
      readFileSync(join(root, folder, name), "utf8")
        .split("\n")
        .map((_, index) => `${folder}/${name}:${index + 1}-${index + 1}`),
    ),
  );
  return all.filter((_, index) => (index + 1) % every === from % every).join(",");
}
