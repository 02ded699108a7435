import { type ChildProcess, type Serializable, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { SeedInput, SeedResult } from "@queue-api/server";
import { Worker } from "./worker.js";

/** The installed command, which starts the service like an operator does. */
const command = fileURLToPath(
  new URL("../bin/queue-api.js", import.meta.resolve("@queue-api/server")),
);

/** A business, and where it is served. */
export interface Tenant {
  readonly origin: string;
  readonly key: string;
  /** Ids by the `ref` in the seed file. */
  readonly queues: Readonly<Record<string, string>>;
  readonly services: Readonly<Record<string, string>>;
  /** Every key by its `ref`. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Our running service. Its own tenant is the first business of the seed. */
export interface Service extends Tenant {
  readonly process: ChildProcess;
  readonly databaseUrl: string;
  /** Every business of the seed, in its order. */
  readonly tenants: readonly Tenant[];
}

interface ServiceOptions {
  /** Default: a new file. */
  readonly databaseUrl?: string;
  /** Settings that replace the defaults. */
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeOptions?: readonly string[];
}

/** The processes and files of one comparison. Each server and each load generator has its own process. */
export class Stage {
  /** The folder of all written files. */
  readonly folder: string;
  readonly #nodeOptions: readonly string[];
  readonly #closing: (() => Promise<void>)[] = [];
  #files = 0;

  private constructor(folder: string, nodeOptions: readonly string[]) {
    this.folder = folder;
    this.#nodeOptions = nodeOptions;
  }

  /** The options are Node's, and apply only to our service. */
  static async open(nodeOptions: readonly string[] = []): Promise<Stage> {
    return new Stage(await mkdtemp(join(tmpdir(), "queue-api-bench-")), nodeOptions);
  }

  /** Seeds a database and serves it with the settings of production. */
  async service(seed: SeedInput, options: ServiceOptions = {}): Promise<Service> {
    const { databaseUrl = this.newFile() } = options;
    const { businesses } = await seeded(databaseUrl, seed);
    const { origin, process } = await this.instance(databaseUrl, options);
    const tenants = Object.values(businesses).map(({ queues, services, keys }) => {
      return { origin, key: keys.key ?? "", keys, queues, services };
    });
    const [first] = tenants;
    if (!first) throw new Error("the seed has no business");
    return { ...first, process, databaseUrl, tenants };
  }

  /** Serves a database that is seeded, with the settings of production. */
  async instance(
    databaseUrl: string,
    { env = {}, nodeOptions = [] }: Omit<ServiceOptions, "databaseUrl"> = {},
  ): Promise<Pick<Service, "origin" | "process">> {
    const node = [...this.#nodeOptions, ...nodeOptions];
    const args = [...node, command, "serve", "--port", "0", "--database", databaseUrl];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, NODE_ENV: "production", ...env },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    this.#closing.push(() => stopped(child));
    return { origin: await originOf(child), process: child };
  }

  /** Registers an action for the end of the stage. The latest action runs first. */
  atEnd(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  /** Ends every process and removes the files. */
  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Starts a process that answers questions. */
  worker<Question extends Serializable, Answer>(module: URL): Worker<Question, Answer> {
    const worker = new Worker<Question, Answer>(module);
    this.#closing.push(() => worker.stop());
    return worker;
  }

  /** The URL of a new embedded database. */
  newFile(): string {
    return `file:${join(this.folder, `${++this.#files}.db`)}`;
  }
}

/** Runs some work on a stage, and always removes the stage afterwards. */
export async function onStage<Result>(
  nodeOptions: readonly string[],
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const stage = await Stage.open(nodeOptions);
  const interrupted = () => void stage.close().finally(() => process.exit(1));
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  try {
    return await work(stage);
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    await stage.close();
  }
}

async function seeded(databaseUrl: string, seed: SeedInput): Promise<SeedResult> {
  const args = [command, "seed", "-", "--database", databaseUrl, "--json"];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(seed));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`queue-api seed ended with exit code ${code}`);
  return JSON.parse(output);
}

async function originOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("the output of queue-api serve cannot be read");
  try {
    for await (const line of createInterface(stdout)) {
      const [, origin] = /^listening on (\S+)$/.exec(line) ?? [];
      if (origin) return origin;
    }
  } finally {
    stdout.resume(); // otherwise further output would fill the pipe
  }
  throw new Error("queue-api serve ended before it was listening");
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
