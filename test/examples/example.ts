import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  importSeed,
  openStore,
  readConfig,
  type SeedInput,
  type Store,
  startServer,
} from "@queue-api/server";

type Businesses = SeedInput["businesses"];

/** A real server with one clinic, for an example to call. */
export interface Clinic {
  readonly url: string;
  readonly store: Store;
  readonly key: string;
  queue(ref: string): string;
  entry(ref: string): string;
  /** Settings of an example that calls this server. */
  readonly env: Readonly<Record<string, string>>;
  /** The day's entries of a queue, as the business sees them. */
  entries(queue: string): Promise<readonly { token: string; status: string }[]>;
  close(): Promise<void>;
}

/** Starts a server with this clinic and a key of every scope. */
export async function startClinic(clinic: Partial<Businesses[number]>): Promise<Clinic> {
  const store = await openStore("memory:", { clock: Date.now, random: randomBytes });
  const business = {
    slug: "clinic",
    name: "Sunrise Clinic",
    timezone: "Asia/Kolkata",
    keys: [
      {
        ref: "key",
        name: "Example",
        scopes: ["queue:read" as const, "queue:write" as const, "appointments:read" as const],
      },
    ],
    ...clinic,
  };
  const now = Date.now();
  const seeded = await importSeed(store, { businesses: [business] }, { now, random: randomBytes });
  const made = seeded.businesses.clinic;
  if (!made?.keys.key) throw new Error("the seed gave no key");
  const server = await startServer({ store, config: { ...readConfig({}), port: 0 } });
  const key = made.keys.key;
  return {
    url: server.url,
    store,
    key,
    queue: (ref) => made.queues[ref] ?? "",
    entry: (ref) => made.entries[ref] ?? "",
    env: { QUEUE_API_BASE_URL: server.url, QUEUE_API_KEY: key },
    async entries(queue) {
      const answer = await fetch(`${server.url}/v1/queues/${queue}/entries?limit=100`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      return ((await answer.json()) as { data: { token: string; status: string }[] }).data;
    },
    async close() {
      await server.close();
      await store.close();
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
export function start(command: string, args: readonly string[], env: Clinic["env"]): ChildProcess {
  return spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  env: Clinic["env"],
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

export async function serveExample(path: string, env: Clinic["env"]): Promise<Serving> {
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
