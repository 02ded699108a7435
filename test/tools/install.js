import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Thrown when tools cannot be installed, for example without a network. */
export class ToolsMissingError extends Error {
  name = "ToolsMissingError";
}

/**
 * The folder of a set of tools below `test/tools`, installed from its lock file the first time. They stay out of
 * `npm ci`, since one script each needs them. Throws {@link ToolsMissingError} when they cannot be installed.
 */
export function installTools(name) {
  const folder = fileURLToPath(new URL(name, import.meta.url));
  const lock = textOf(join(folder, "package-lock.json"));
  /** Holds the lock file that the tools were installed from. Missing while they are installed. */
  const stamp = join(folder, "node_modules/.installed-lock");
  if (textOf(stamp) === lock) return folder;
  console.error(`Installing test/tools/${name}`);
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, stdout, stderr, error } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) {
    const reason = error?.message ?? `${stderr}${stdout}`;
    throw new ToolsMissingError(`test/tools/${name} cannot be installed: ${reason}`);
  }
  writeFileSync(stamp, lock);
  return folder;
}

/** A module that stands beside the tools that it loads. */
export function importTool(name, file) {
  return import(pathToFileURL(join(installTools(name), file)).href);
}

function textOf(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
