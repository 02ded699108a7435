import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder of a set of tools below `test/tools`, installed from its lock file the first time. They stay out of
 * `npm ci`, since one script each needs them.
 */
export function installTools(name) {
  const folder = fileURLToPath(new URL(name, import.meta.url));
  const lock = textOf(join(folder, "package-lock.json"));
  /** Holds the lock file that the tools were installed from. Missing while they are installed. */
  const stamp = join(folder, "node_modules/.installed-lock");
  if (textOf(stamp) === lock) return folder;
  console.error(`Installing test/tools/${name}`);
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`test/tools/${name} cannot be installed`);
  writeFileSync(stamp, lock);
  return folder;
}

function textOf(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
