import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The folder of the package in the repository. */
const source = fileURLToPath(new URL("../../sdk", import.meta.url));

/** The package as users install it: packed, and installed in an empty folder. */
export class Installed {
  readonly folder: string;
  readonly tarball: string;

  private constructor(folder: string, tarball: string) {
    this.folder = folder;
    this.tarball = tarball;
  }

  /** Packs the output of `npm run build`, and installs it, with ky from the cache if it is there. */
  static async make(): Promise<Installed> {
    const folder = await mkdtemp(join(tmpdir(), "queue-api-sdk-"));
    const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    const { stdout } = await run("npm", packing, { cwd: source });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    const installed = new Installed(folder, join(folder, filename));
    await installed.write("package.json", '{ "private": true }');
    await run(
      "npm",
      ["install", "--prefer-offline", "--no-audit", "--no-fund", installed.tarball],
      {
        cwd: folder,
      },
    );
    return installed;
  }

  get packageFolder(): string {
    return join(this.folder, "node_modules/@queue-api/sdk");
  }

  async write(name: string, text: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  read(name: string): Promise<string> {
    return readFile(join(this.packageFolder, name), "utf8");
  }

  /** Links a package of the repository into the same folder. */
  async addFromRepository(name: string): Promise<void> {
    const from = join(source, "../node_modules", name);
    await cp(from, join(this.folder, "node_modules", name), { recursive: true });
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
