import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Clinic } from "./clinic.js";
import { commandEnvironment, commandPath } from "./command.js";
import { temporaryDatabase } from "./database.js";
import { ownerAt } from "./owner.js";
import { type BusinessSeed, clinicSeed } from "./seed.js";
import { targetAt } from "./service.js";

/** A server in a separate process, as an operator runs it. */
export interface ServiceProcess {
  readonly url: string;
  /** Its output so far, on both streams. */
  output(): string;
  signal(name: "SIGTERM" | "SIGINT" | "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  /** Resolves with the exit code or signal. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Runs `queue-api serve` on a free port, and waits until it listens. */
export function serve(...how: Parameters<typeof launch>): Promise<ServiceProcess> {
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
  const start = () => serve(database, atEnd, how.settings);
  const clinicAt = async ({ url }: ServiceProcess) =>
    new Clinic(await targetAt(url), seed.slug, seeded, "10.0.0.1");
  const server = await start();
  const clinic = await clinicAt(server);
  return { database, owner, server, clinic, seeded, start, clinicAt };
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
  const child = spawn(process.execPath, args, {
    env: { ...commandEnvironment, ...usual, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  atEnd(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let output = "";
  const note = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on("data", note);
  child.stderr.on("data", note);
  const running = {
    output: () => output,
    signal: (name: NodeJS.Signals) => child.kill(name),
    exited,
  };
  /** When it listens. */
  const ready = announced(child, running.output).then(
    (url): ServiceProcess => ({ url, ...running }),
  );
  return { ...running, ready };
}

async function announced(child: ChildProcess, output: () => string): Promise<string> {
  if (!child.stdout) throw new Error("the server has no standard output");
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^listening on (http:\S+)$/.exec(line) ?? [];
    if (url) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error(`the server ended before it was ready: ${output()}`);
}
