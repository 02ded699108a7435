import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importTool } from "#tools";
import { megabytes } from "../contest.js";
import type { SdkRow } from "../row.js";

const run = promisify(execFile);

const { resolved } = await importTool("bench", "peers.js");

export const installedSize: SdkRow = {
  name: "sdk-size",
  async measure(stage) {
    const size = (name: string) => installed(name, join(stage.folder, name.replace("/", "-")));
    const ours = await size("@queue-api/sdk");
    const contests = [];
    for (const [against, most] of [
      ["stripe", 0.15],
      ["openai", 1],
    ] as const) {
      contests.push({
        measured: "installed size, all dependencies",
        against,
        goal: { most },
        ours: [ours],
        theirs: [await size(against)],
        shown: megabytes,
      });
    }
    return contests;
  },
};

/** Bytes of all files once a package is packed and installed in an empty folder. */
async function installed(name: string, folder: string): Promise<number> {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", packing, { cwd: await folderOf(name) });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const options = ["--ignore-scripts", "--omit=peer", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, join(folder, filename)], { cwd: folder });
  const root = join(folder, "node_modules");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Where a package lies that is installed here. */
async function folderOf(name: string): Promise<string> {
  const main = fileURLToPath(resolved(name));
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
    if (JSON.parse(manifest).name === name) return folder;
  }
  throw new Error(`${name} is not installed`);
}
