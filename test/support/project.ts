import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { temporaryFolder } from "./folder.js";
import { listen } from "./listen.js";
import { completed } from "./run.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The environment without the variables of the test runner and its npm. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|JEST|TEST|npm_)/.test(name)),
);

export type Environment = Readonly<Record<string, string>>;

interface Contents {
  /** A folder that is copied. Default: none. */
  readonly copyOf?: URL;
  /** The packages of this repository that are packed and installed, by their folders. Default: the SDK. */
  readonly workspaces?: readonly string[];
  readonly packages?: readonly string[];
  readonly options?: readonly string[];
}

/** A project in a new folder, with packages as users install them.  */
export class Project {
  private constructor(readonly folder: string) {}

  static async make(contents: Contents = {}): Promise<Project> {
    const { copyOf, workspaces = ["sdk"], packages = [], options = [] } = contents;
    const folder = temporaryFolder();
    const project = new Project(folder);
    if (copyOf) {
      const filter = (path: string) => !path.endsWith("node_modules");
      await cp(fileURLToPath(copyOf), folder, { recursive: true, filter });
    } else await project.write("package.json", '{ "private": true }');
    const tarballs = await Promise.all(workspaces.map((name) => project.pack(name)));
    await project.run("npm", [
      ...["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"],
      ...["--prefer-offline", ...options, ...tarballs, ...packages],
    ]);
    return project;
  }

  /** Packs what `npm run build` made of a package of this repository, and returns the path of the file. */
  async pack(workspace: string): Promise<string> {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", this.folder];
    const place = { cwd: join(repository, workspace), env: clean };
    const { stdout } = await completed("npm", args, place);
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    return join(this.folder, filename);
  }

  inPackage(name: string, path = "."): string {
    return join(this.folder, "node_modules", name, path);
  }

  async write(name: string, text: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  /**
   * Runs a command in the folder or one below it, and returns its output. If the command fails, throws an error with
   * the output.
   */
  async run(
    command: string,
    args: readonly string[],
    env: Environment = {},
    below = ".",
  ): Promise<string> {
    const { stdout, stderr } = await completed(command, args, {
      cwd: join(this.folder, below),
      env: { ...clean, ...env, NO_COLOR: "1", CI: "1", NEXT_TELEMETRY_DISABLED: "1" },
    });
    return stdout + stderr;
  }

  bin(name: string, args: readonly string[], env: Environment = {}): Promise<string> {
    return this.run(join(this.folder, "node_modules/.bin", name), args, env);
  }

  /** Starts a server of an installed package, and waits until it responds. `stop` ends it. */
  async serve(
    name: string,
    args: (port: number) => readonly string[] | Promise<readonly string[]>,
    env: Environment = {},
  ): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const port = await freePort();
    const child = spawn(join(this.folder, "node_modules/.bin", name), [...(await args(port))], {
      cwd: this.folder,
      env: { ...clean, ...env, NEXT_TELEMETRY_DISABLED: "1" },
      stdio: "ignore",
      detached: true, // a new process group, because some servers start child processes
    });
    const exited = once(child, "exit");
    const url = `http://127.0.0.1:${port}`;
    const stop = async () => {
      if (child.exitCode === null && child.pid) process.kill(-child.pid, "SIGKILL");
      await exited;
    };
    try {
      await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 100 });
    } catch (error) {
      await stop();
      throw error;
    }
    return { url, stop };
  }

  /** The files below a folder of the project that contain a text, without installed packages. */
  async filesWith(text: string, below = "."): Promise<string[]> {
    const found: string[] = [];
    for (const name of await readdir(join(this.folder, below), { recursive: true })) {
      const path = join(this.folder, below, name);
      if (name.includes("node_modules") || !(await stat(path)).isFile()) continue;
      if ((await readFile(path)).includes(text)) found.push(name);
    }
    return found;
  }
}

/** A free port, for a server that cannot listen on port 0. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listen(server));
  await once(server.close(), "close");
  return Number(port);
}
