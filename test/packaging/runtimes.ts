import { execFile } from "node:child_process";
import { access, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { wholeMatrix } from "../support/matrix.js";

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
  /** Whether it can use the proxy of the environment. */
  readonly knowsProxies: boolean;
}

const platform = `${process.platform}-${process.arch}`;

const node = (major: number): Runtime => ({
  name: `Node ${major}`,
  spec: `node-${platform}@${major}`,
  binary: `node_modules/node-${platform}/bin/node`,
  args: [],
  knowsProxies: major > 20,
});

/** The supported runtimes; with `TEST_MATRIX=one`, those that differ most from this one. */
export const runtimes: readonly Runtime[] = [
  ...(wholeMatrix ? [node(20), node(22), node(24), node(26)] : []),
  {
    name: "Bun",
    spec: `@oven/bun-${platform}@1`,
    binary: `node_modules/@oven/bun-${platform}/bin/bun`,
    args: [],
    knowsProxies: true,
  },
  {
    name: "Deno",
    spec: `@deno/${platform}-glibc@2`,
    binary: `node_modules/@deno/${platform}-glibc/deno`,
    args: ["run", "--allow-net", "--allow-read", "--allow-env"],
    knowsProxies: true,
  },
];

/** The path of a runtime, downloaded once into the folder for temporary files. */
export async function fetched({ spec, binary }: Runtime): Promise<string> {
  const folder = join(tmpdir(), "queue-api-runtimes", spec.replaceAll("/", "-"));
  const path = join(folder, binary);
  if (await exists(path)) return path;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", spec];
  await run("npm", install, { cwd: folder });
  return path;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
