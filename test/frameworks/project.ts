import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { vi } from "vitest";

const exec = promisify(execFile);
const sdk = fileURLToPath(new URL("../../sdk", import.meta.url));
const projects = new URL("projects/", import.meta.url);

/** The environment without the variables of the test runner and its npm. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|JEST|TEST|npm_)/.test(name)),
);

export type Environment = Readonly<Record<string, string>>;

/** A small project in a new folder, with the packed SDK and packages of the registry. */
export class Project {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Copies a project of `projects/`, and installs the SDK and these packages, such as `next@14.2.35`. */
  static async make(name: string, packages: readonly string[] = []): Promise<Project> {
    const folder = await mkdtemp(join(tmpdir(), `queue-api-${name}-`));
    await cp(fileURLToPath(new URL(name, projects)), folder, { recursive: true });
    const project = new Project(folder);
    const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    const { stdout } = await exec("npm", packing, { cwd: sdk, env: clean });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    await project.run("npm", [
      ...["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"],
      ...[join(folder, filename), ...packages],
    ]);
    return project;
  }

  /** Runs a command in the folder, and returns its output. If the command fails, throws an error with the output. */
  async run(command: string, args: readonly string[], env: Environment = {}): Promise<string> {
    try {
      const { stdout, stderr } = await exec(command, [...args], {
        cwd: this.folder,
        env: { ...clean, ...env, NO_COLOR: "1", CI: "1", NEXT_TELEMETRY_DISABLED: "1" },
        maxBuffer: 1 << 26,
      });
      return stdout + stderr;
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}\n${stderr}`, {
        cause: error,
      });
    }
  }

  /** Runs a command of an installed package. */
  bin(name: string, args: readonly string[], env: Environment = {}): Promise<string> {
    return this.run(join(this.folder, "node_modules/.bin", name), args, env);
  }

  /** Starts a server of an installed package, and waits until it responds. `stop` ends it. */
  async serve(
    name: string,
    args: (port: number) => readonly string[],
    env: Environment = {},
  ): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const port = await freePort();
    const child = spawn(join(this.folder, "node_modules/.bin", name), [...args(port)], {
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

  writeSync(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
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

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/** A free port, for a server that cannot listen on port 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
