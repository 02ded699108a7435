import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { commandPath } from "../support/command.js";
import { environment, type Run } from "./command.js";

/** A server started by the command. */
export interface Serving {
  /** The standard output until the server was ready. */
  readonly printed: string;
  readonly url: string;
  signal(name: "SIGTERM" | "SIGINT"): void;
  /** Resolves with the result when the process has exited. */
  readonly ended: Promise<Run>;
}

const running = new Set<ChildProcess>();

/** Runs `queue-api serve` on a free port and waits until it reports that it is ready. */
export async function serve(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Serving> {
  const child = spawn(process.execPath, [commandPath, "serve", "--port", "0", ...args], {
    env: environment({ LOG_LEVEL: "error", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let stdout = "";
  const stderr = text(child.stderr);
  const ended = once(child, "close").then(async ([code]) => {
    running.delete(child);
    return { code, stdout, stderr: await stderr };
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
      resolve();
    });
    ended.then((run) => reject(new Error(`serve ended with ${run.code}: ${run.stderr}`)));
  });
  const url = /http:\/\/[^\s"]+/.exec(stdout)?.[0] ?? "";
  return { printed: stdout, url, signal: (name) => child.kill(name), ended };
}

/** Kills servers that a test did not end. */
export async function endServers(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const closed = once(child, "close");
      child.kill("SIGKILL");
      return closed;
    }),
  );
}
