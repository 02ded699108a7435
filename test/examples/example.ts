import { fileURLToPath } from "node:url";
import { atEnd } from "../support/at-end.js";
import { seededClinic } from "../support/clinic.js";
import { ownerOf } from "../support/owner.js";
import { type Started, start, until } from "../support/run.js";
import { type BusinessSeed, mainKey } from "../support/seed.js";
import { startedServer, targetAt } from "../support/service.js";

export type Served = Awaited<ReturnType<typeof startClinic>>;

/** Starts a server with a clock that runs, which programs need, and a clinic with a key of every scope. */
export async function startClinic(changes: BusinessSeed) {
  const { server, store } = await startedServer("memory:");
  const seed = { keys: [{ ...mainKey, name: "Example" }], ...changes };
  const clinic = await seededClinic(await targetAt(server.url), ownerOf(store, Date.now), seed);
  /** Settings of an example that calls this server. */
  const env: Environment = { QUEUE_API_BASE_URL: server.url, QUEUE_API_KEY: clinic.key() };
  return {
    url: server.url,
    store,
    clinic,
    env,
    /** The day's tokens of a queue, as the business sees them. */
    async tokens(queue: string) {
      const { data } = await clinic.client().entries(clinic.queue(queue), { limit: 100 });
      return data.map(({ token }) => token);
    },
  };
}

export type Environment = Readonly<Record<string, string>>;

/** Path of a file of an example. */
export const inExamples = (path: string) =>
  fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

/** Starts a program of an example with nothing of this process's settings but the path. */
export function startProgram(command: string, args: readonly string[], env: Environment): Started {
  return start(command, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
}

/** Starts an example that serves at the address that it prints, and ends it after the test or its group. */
export async function serveExample(path: string, env: Environment) {
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
