import { type ChildProcess, spawn } from "node:child_process";

/** The built adapter and the records of the tests. Another process runs built files, not the sources. */
const built = new URL("../../../server/dist/store/sqlite/open.js", import.meta.url).href;

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

interface ProcessOptions {
  /** Whether it does not run as root, who can write everywhere. Default false. */
  readonly unprivileged?: boolean;
  /** Added to the environment. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has written to its output until now. */
  readonly output: () => string;
  readonly ended: Promise<Ended>;
}

/**
 * Starts the body of an async function in another process, with `open(path, options)` and `args` in scope. Its result
 * is written to the output as JSON.
 */
export function startProcess(
  body: string,
  args: unknown,
  { unprivileged = false, settings = {} }: ProcessOptions = {},
): Running {
  const program = `
    const { openSqlite } = await import(${JSON.stringify(built)});
    if (${unprivileged} && process.getuid() === 0) process.setuid(65534);
    const open = (path, options) => openSqlite(path, { create: true, threads: false, ...options });
    const args = ${JSON.stringify(args)};
    const result = await (async () => { ${body} })();
    process.stdout.write(JSON.stringify(result ?? null));`;
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { env });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, errors }));
  });
  return { child, output: () => output, ended };
}

/** The result of a body, which must succeed; see {@link startProcess}. */
export async function inAnotherProcess(
  body: string,
  args: unknown,
  options?: ProcessOptions,
): Promise<unknown> {
  const { code, output, errors } = await startProcess(body, args, options).ended;
  if (code !== 0 || errors !== "") throw new Error(`the process ended with ${code}: ${errors}`);
  return JSON.parse(output);
}
