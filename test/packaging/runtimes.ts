import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A JavaScript runtime in a package of the registry that needs no install script. */
export interface Runtime {
  readonly name: string;
  /** Package and version. */
  readonly spec: string;
  /** The path of the executable in the package. */
  readonly binary: string;
  /** The arguments before the file to run. */
  readonly args: readonly string[];
}

const platform = `${process.platform}-${process.arch}`;

/** The runtimes beside Node, whose versions the workflow runs all tests on. */
export const runtimes: readonly Runtime[] = [
  {
    name: "Bun",
    spec: `@oven/bun-${platform}@1`,
    binary: `node_modules/@oven/bun-${platform}/bin/bun`,
    args: [],
  },
  {
    name: "Deno",
    spec: `@deno/${platform}-glibc@2`,
    binary: `node_modules/@deno/${platform}-glibc/deno`,
    args: ["run", "--allow-net", "--allow-read", "--allow-env"],
  },
];

/** The path of a runtime, downloaded once into the folder for temporary files. */
export async function fetched({ spec, binary }: Runtime): Promise<string> {
  const folder = join(tmpdir(), "queue-api-runtimes", spec.replaceAll("/", "-"));
  const path = join(folder, binary);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", spec];
  await run("npm", install, { cwd: folder });
  return path;
}
