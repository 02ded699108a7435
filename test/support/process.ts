import { Clinic } from "./clinic.js";
import { commandEnvironment, commandPath } from "./command.js";
import { temporaryDatabase } from "./database.js";
import { ownerAt } from "./owner.js";
import { start, until } from "./run.js";
import { type BusinessSeed, clinicSeed } from "./seed.js";
import { targetAt } from "./service.js";

/** A server in a separate process, as an operator runs it. */
export type ServiceProcess = Awaited<ReturnType<typeof serve>>;

/** Runs `queue-api serve` on a free port, and waits until it listens. */
export function serve(...how: Parameters<typeof launch>) {
  return launch(...how).ready;
}

/** Runs `queue-api serve` on a database with a clinic, by default in a new file. */
export async function serveClinic(
  atEnd: (end: () => Promise<void>) => void,
  changes: BusinessSeed,
  how: { readonly settings?: Settings; readonly databaseUrl?: string } = {},
) {
  const database = how.databaseUrl ?? (await temporaryDatabase());
  const seed = clinicSeed(changes);
  const owner = ownerAt(database);
  const seeded = await owner.seed(seed);
  const server = await serve(database, atEnd, how.settings);
  const clinic = new Clinic(await targetAt(server.url), seed.slug, seeded, "10.0.0.1");
  return { owner, server, clinic, seeded };
}

type Settings = Readonly<Record<string, string>>;

const usual = { PORT: "0", TRUST_PROXY: "loopback", CHECK_ANSWERS: "on" };

/** Runs `queue-api serve`, on a free port by default. `atEnd`, the test's `onTestFinished`, ends it at the latest. */
export function launch(
  databaseUrl: string,
  atEnd: (end: () => Promise<void>) => void,
  settings: Settings = {},
) {
  const args = [commandPath, "serve", "--database", databaseUrl];
  const env = { ...commandEnvironment, ...usual, ...settings };
  const started = start(process.execPath, args, { env });
  const { child, written } = started;
  const exited = started.ended.then(({ code }) => ({ code, signal: child.signalCode }));
  atEnd(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const running = {
    /** Its output so far, on both streams. */
    output: () => written.both,
    signal: (name: "SIGTERM" | "SIGINT" | "SIGKILL") => child.kill(name),
    /** Resolves with the exit code or signal. */
    exited,
  };
  const listening = until(started, /^listening on (http:\S+)\n/m);
  const ready = listening.then(([, url = ""]) => ({ url, ...running }));
  return { ...running, ready };
}
