import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { commandPath } from "../support/command.js";
import { environment, type Run } from "./command.js";

/** A command that runs until it is told to end. */
interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Resolves with the result when the process has exited. */
  readonly ended: Promise<Run>;
}

const running = new Set<Started>();

/** Starts the command in a separate process. */
export function start(args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const child = spawn(process.execPath, [commandPath, ...args], {
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (chunk) => {
      written[stream] += chunk;
    });
  }
  const ended = once(child, "close").then(([code]) => ({ code, ...written }));
  const started = { child, ended };
  running.add(started);
  return started;
}

/** A server started by the command. */
export interface Serving extends Pick<Started, "ended"> {
  /** The standard output until the server was ready. */
  readonly printed: string;
  readonly url: string;
  signal(name: "SIGTERM" | "SIGINT"): void;
}

/** Runs `queue-api serve` on a free port and waits until it reports that it is ready. */
export async function serve(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Serving> {
  const all = ["serve", "--port", "0", ...args];
  const { child, ended } = start(all, { LOG_LEVEL: "error", ...env });
  const failed = ended.then(({ code, stderr }) => {
    throw new Error(`serve ended with ${code}: ${stderr}`);
  });
  const [chunk] = await Promise.race([once(child.stdout, "data"), failed]);
  const printed = String(chunk);
  const url = /http:\/\/[^\s"]+/.exec(printed)?.[0] ?? "";
  return { printed, url, signal: (name) => child.kill(name), ended };
}

/** Kills what a test did not end. */
export async function endServers(): Promise<void> {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
}
