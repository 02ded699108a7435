import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openStore, readConfig, type Store, startServer } from "@queue-api/server";
import { atEnd } from "../support/at-end.js";
import { type Clinic, seededClinic } from "../support/clinic.js";
import { ownerOf } from "../support/owner.js";
import { type BusinessSeed, mainKey } from "../support/seed.js";
import { targetAt } from "../support/service.js";

/** A real server with one clinic, for an example to call. */
export interface Served {
  readonly url: string;
  readonly store: Store;
  readonly clinic: Clinic;
  /** Settings of an example that calls this server. */
  readonly env: Readonly<Record<string, string>>;
  /** The day's tokens of a queue, as the business sees them. */
  tokens(queue: string): Promise<readonly string[]>;
}

/** Starts a server with a clock that runs, which programs need, and a clinic with a key of every scope. */
export async function startClinic(changes: BusinessSeed): Promise<Served> {
  const store = await openStore("memory:", { clock: Date.now, random: randomBytes });
  const server = await startServer({ store, config: { ...readConfig({}), port: 0 } });
  atEnd(async () => {
    await server.close();
    await store.close();
  });
  const seed = { keys: [{ ...mainKey, name: "Example" }], ...changes };
  const clinic = await seededClinic(await targetAt(server.url), ownerOf(store, Date.now), seed);
  return {
    url: server.url,
    store,
    clinic,
    env: { QUEUE_API_BASE_URL: server.url, QUEUE_API_KEY: clinic.key() },
    async tokens(queue) {
      const { data } = await clinic.client().entries(clinic.queue(queue), { limit: 100 });
      return data.map(({ token }) => token);
    },
  };
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
export function start(command: string, args: readonly string[], env: Served["env"]): ChildProcess {
  return spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  env: Served["env"],
): Promise<Ended> {
  const child = start(command, args, env);
  if (!child.stdout || !child.stderr) throw new Error("the program has no output");
  const ended = once(child, "close");
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, output, complaint };
}

/** Starts an example that serves, ends it after the test or its group, and returns the address that it prints. */
export async function serveExample(path: string, env: Served["env"]): Promise<string> {
  const child = start(process.execPath, [inExamples(path)], { ...env, PORT: "0" });
  const ended = once(child, "close");
  atEnd(async () => {
    child.kill();
    await ended;
  });
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
    return url;
  }
  throw new Error(`the example did not start: ${complaint}`);
}
