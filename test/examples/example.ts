import { fileURLToPath } from "node:url";
import type { Store } from "@queue-api/server";
import { atEnd } from "../support/at-end.js";
import { type Clinic, seededClinic } from "../support/clinic.js";
import { ownerOf } from "../support/owner.js";
import { type Started, start, until } from "../support/run.js";
import { type BusinessSeed, mainKey } from "../support/seed.js";
import { startedServer, targetAt } from "../support/service.js";

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
  const { server, store } = await startedServer("memory:");
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

/** Starts a program of an example with nothing of this process's settings but the path. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Served["env"],
): Started {
  return start(command, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
}

/** Starts an example that serves at the address that it prints, and ends it after the test or its group. */
export async function serveExample(path: string, env: Served["env"]) {
  const started = startProgram(process.execPath, [inExamples(path)], { ...env, PORT: "0" });
  atEnd(async () => {
    started.child.kill();
    await started.ended;
  });
  const [, url = ""] = await until(started, /(http:\/\/127\.0\.0\.1:\d+)\s/);
  return { url, started };
}

/** Runs a program of an example to its end. */
export const run = (...how: Parameters<typeof startProgram>) => startProgram(...how).ended;
