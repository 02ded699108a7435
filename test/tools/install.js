import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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
  if (isInstalled(folder)) return folder;
  console.error(`Installing test/tools/${name}`);
  // Installed beside, then moved: a process that comes meanwhile never finds half of it.
  const aside = mkdtempSync(join(folder, ".installing-"));
  try {
    for (const file of ["package.json", lockFile])
      copyFileSync(join(folder, file), join(aside, file));
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    const { status, stdout, stderr, error } = spawnSync("npm", args, {
      cwd: aside,
      encoding: "utf8",
    });
    if (status !== 0) {
      const reason = error?.message ?? `${stderr}${stdout}`;
      throw new ToolsMissingError(`test/tools/${name} cannot be installed: ${reason}`);
    }
    writeFileSync(join(aside, stamp), textOf(join(folder, lockFile)));
    if (isInstalled(folder)) return folder; // by another process
    const modules = join(folder, "node_modules");
    if (existsSync(modules)) renameSync(modules, join(aside, "outdated"));
    renameSync(join(aside, "node_modules"), modules);
    return folder;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** A module that stands beside the tools that it loads. */
export function importTool(name, file) {
  return import(pathToFileURL(join(installTools(name), file)).href);
}

const lockFile = "package-lock.json";
/** Holds the lock file that the tools were installed from. */
const stamp = "node_modules/.installed-lock";

function isInstalled(folder) {
  return textOf(join(folder, stamp)) === textOf(join(folder, lockFile));
}

function textOf(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
