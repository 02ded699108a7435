import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { importSeed, openStore, type SeedInput } from "@queue-api/server";
import { expect, onTestFinished, vi } from "vitest";
import { run as runCommandLine } from "../../server/dist/cli/run.js";
import { commandPath } from "../support/command.js";
import { temporaryDatabase } from "../support/database.js";
import { temporaryFolder } from "../support/folder.js";
import { type Ended, type Started, start, until } from "../support/run.js";

/** The environment of every run, without the settings of the machine. */
export function environment(changes: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TZ: "UTC", ...changes };
}

/** An empty database, and the command with that database as its setting. */
export async function newCli() {
  const database = await temporaryDatabase();
  const env = { DATABASE_URL: database };
  const run = (args: readonly string[], input = "") => runHere(args, input, env);
  return {
    database,
    async seed(json: SeedInput) {
      const store = await openStore(database, { clock: Date.now, random: randomBytes });
      try {
        return await importSeed(store, json, { now: Date.now(), random: randomBytes });
      } finally {
        await store.close();
      }
    },
    /** Runs the command in this process, and waits for its exit. */
    run,
    /** Runs the command in a separate process, like an operator, and waits for its exit. */
    process: (args: readonly string[], input?: string) => startCommand(args, env, input).ended,
    /** Runs the command in this process with `--json` and returns its document. Throws the command's message if it fails. */
    async json<Document>(args: readonly string[], input?: string) {
      const { code, stdout, stderr } = await run([...args, "--json"], input);
      if (code !== 0) throw new Error(`queue-api ${args.join(" ")} exited ${code}: ${stderr}`);
      return JSON.parse(stdout) as Document;
    },
    async file(name: string, content: string | Uint8Array) {
      const path = join(temporaryFolder(), name);
      await writeFile(path, content);
      return path;
    },
  };
}

export type Cli = Awaited<ReturnType<typeof newCli>>;

let lastRun: Promise<unknown> = Promise.resolve();

/**
 * Runs the built command in this process, which is faster than a separate one, and waits for its exit.
 * `processes.test.ts` shows that a separate process ends and prints in the same way.
 */
export function runHere(
  args: readonly string[],
  input = "",
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const run = lastRun.then(() => withStreams(input, env, () => runCommandLine(args)));
  lastRun = run.catch(() => {}); // one command at a time, because the process has one standard output
  return run;
}

/** Runs a function with exclusive use of the streams of this process. */
async function withStreams(
  input: string,
  env: NodeJS.ProcessEnv,
  work: () => Promise<number>,
): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((chunk) => {
      written[name] += chunk;
      return true;
    }),
  );
  const stdin = vi.spyOn(process, "stdin", "get");
  stdin.mockReturnValue(Readable.from([Buffer.from(input)]) as typeof process.stdin);
  const original = process.env;
  process.env = environment(env);
  try {
    return { code: await work(), ...written };
  } finally {
    process.env = original;
    for (const spy of [...spies, stdin]) spy.mockRestore();
  }
}

/** Starts the built command in a separate process. It ends with the test at the latest. */
export function startCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = "",
): Started {
  const started = start(process.execPath, [commandPath, ...args], { env: environment(env), input });
  onTestFinished(async () => {
    started.child.kill("SIGKILL");
    await started.ended;
  });
  return started;
}

/** Runs `queue-api serve` on a free port and waits until it reports that it is ready. */
export async function serve(args: readonly string[], env: NodeJS.ProcessEnv) {
  const started = startCommand(["serve", "--port", "0", ...args], { LOG_LEVEL: "error", ...env });
  const [url] = await until(started, /http:\/\/[^\s"]+/);
  return { ...started, url, printed: started.written.stdout };
}

/** Expects an exit code, and nothing but one line on standard error, with the command's name and this message. */
export function expectFailure(
  { code, stdout, stderr }: Ended,
  exit: 1 | 2,
  message: string | RegExp,
) {
  const [, said] = /^queue-api: ([^\n]*)\n$/.exec(stderr) ?? [];
  expect({ code, stdout, said }).toEqual({ code: exit, stdout: "", said: expect.any(String) });
  if (typeof message === "string") expect(said).toBe(message);
  else expect(said).toMatch(message);
}
