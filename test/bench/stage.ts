import { type ChildProcess, fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SeedInput, SeedResult } from "@queue-api/server";
import { listen } from "../support/listen.js";
import { completed, start, until } from "../support/run.js";

/** The installed command, which starts the service like an operator does. */
const command = fileURLToPath(
  new URL("../bin/queue-api.js", import.meta.resolve("@queue-api/server")),
);

export interface Tenant {
  readonly origin: string;
  readonly businessId: string;
  readonly key: string;
  /** Ids by the `ref`. */
  readonly queues: Readonly<Record<string, string>>;
}

/** Our running service. Its own tenant is the first business of the seed. */
export interface Service extends Tenant {
  readonly process: ChildProcess;
  readonly tenants: readonly Tenant[];
}

interface ServiceOptions {
  /** Default: a new file. */
  readonly databaseUrl?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeOptions?: readonly string[];
}

/** The processes and files of one comparison. Each server has its own process. */
export class Stage {
  readonly #closing: (() => unknown)[] = [];
  #files = 0;

  constructor(
    private readonly folder: string,
    private readonly nodeOptions: readonly string[],
  ) {}

  /** Seeds a database and serves it with the settings of production. */
  async service(
    seed: SeedInput,
    { databaseUrl = this.newFile(), env = {}, nodeOptions = [] }: ServiceOptions = {},
  ): Promise<Service> {
    const { stdout } = await completed(
      process.execPath,
      [command, "seed", "-", "--database", databaseUrl, "--json"],
      { env: process.env, input: JSON.stringify(seed) },
    );
    const { businesses }: SeedResult = JSON.parse(stdout);
    const node = [...this.nodeOptions, ...nodeOptions];
    const args = [...node, command, "serve", "--port", "0", "--database", databaseUrl];
    const started = start(process.execPath, args, {
      env: { PATH: process.env.PATH, NODE_ENV: "production", ...env },
    });
    const { child, ended } = started;
    child.stderr.pipe(process.stderr);
    this.atEnd(() => {
      child.kill("SIGTERM");
      return ended;
    });
    const [, origin = ""] = await until(started, /^listening on (\S+)$/m);
    const tenants = Object.values(businesses).map(({ id, queues, keys }) => {
      return { origin, businessId: id, key: keys.key ?? "", queues };
    });
    const [first] = tenants;
    if (!first) throw new Error("the seed has no business");
    return { ...first, process: child, tenants };
  }

  async serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    this.atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
    return listen(server);
  }

  /** Starts a module that calls `answerQuestions`. The result asks it a question, after the previous one was answered. */
  worker<Question extends Serializable, Answer>(module: URL) {
    const child = fork(module);
    const exited = once(child, "exit");
    child.once("exit", (code) => {
      if (code !== 0) throw new Error(`${module.pathname} ended with exit code ${code}`);
    });
    this.atEnd(() => {
      child.disconnect();
      return exited;
    });
    return async (question: Question): Promise<Answer> => {
      child.send(question);
      const [answer] = await once(child, "message");
      return answer;
    };
  }

  newFile(): string {
    return `file:${join(this.folder, `${++this.#files}.db`)}`;
  }

  /** Registers an action for the end of the stage. The latest action runs first. */
  atEnd(close: () => unknown): void {
    this.#closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs some work on a stage, and always removes the stage afterwards. The options are Node's, for our service. */
export async function onStage<Result>(
  nodeOptions: readonly string[],
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const stage = new Stage(await mkdtemp(join(tmpdir(), "queue-api-bench-")), nodeOptions);
  const interrupted = () => void stage.close().finally(() => process.exit(1));
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  try {
    return await work(stage);
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    await stage.close();
  }
}
