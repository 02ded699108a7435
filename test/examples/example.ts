import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { BusinessSeed } from "../support/seed.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

export type Environment = Readonly<Record<string, string>>;

// A store in memory is faster, and no example restarts the service.
export const service = await testService({ usualStore: "memory" });
service.clock?.set(Date.now()); // the report asks for the day before today

/** A clinic on the service, with a key of every scope and the settings of an example that calls it. */
export async function exampleClinic(changes: BusinessSeed) {
  const keys = [{ ...mainKey, name: "Example" }];
  const clinic = await service.clinic({ services: [], keys, ...changes });
  const env: Environment = { QUEUE_API_BASE_URL: service.url, QUEUE_API_KEY: clinic.key() };
  return Object.assign(clinic, { env });
}

/** Path of a file of an example. */
export const inExamples = (path: string) =>
  fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

/** How a program ended, and all it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly complaint: string;
}

/** Starts a program of an example with nothing of this process's settings but the path. */
export function start(command: string, args: readonly string[], env: Environment): ChildProcess {
  return spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  env: Environment,
): Promise<Ended> {
  const child = start(command, args, env);
  if (!child.stdout || !child.stderr) throw new Error("the program has no output");
  const ended = once(child, "close");
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, output, complaint };
}

/** A running server program. `url` is the address that it prints. */
export interface Serving {
  readonly url: string;
  stop(): Promise<void>;
}

export async function serveExample(path: string, env: Environment): Promise<Serving> {
  const child = start(process.execPath, [inExamples(path)], { ...env, PORT: "0" });
  const ended = once(child, "close");
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint += chunk;
  });
  let output = "";
  for await (const chunk of child.stdout ?? []) {
    output += chunk;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    if (!url) continue;
    child.stdout?.resume();
    const stop = async () => {
      child.kill();
      await ended;
    };
    return { url, stop };
  }
  throw new Error(`the example did not start: ${complaint}`);
}
