import { commandPath } from "../support/command.js";
import { type Started, start, until } from "../support/run.js";
import { environment } from "./command.js";

const running = new Set<Started>();

/** Starts the command in a separate process, which runs until it is told to end. */
export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const started = start(process.execPath, [commandPath, ...args], { env: environment(env) });
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
  const started = startCommand(all, { LOG_LEVEL: "error", ...env });
  const [url] = await until(started, /http:\/\/[^\s"]+/);
  const { child, written, ended } = started;
  return { printed: written.stdout, url, signal: (name) => child.kill(name), ended };
}

/** Kills what a test did not end. */
export async function endServers(): Promise<void> {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
}
