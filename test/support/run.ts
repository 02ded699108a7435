import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** How a program ended, and all that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** What it has written until now: on each stream, and on both. */
  readonly written: { readonly stdout: string; readonly stderr: string; readonly both: string };
  /** Resolves when it has ended and its streams are closed. */
  readonly ended: Promise<Ended>;
}

interface Place {
  /** The whole environment. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Its standard input. Default: nothing. */
  readonly input?: string;
}

export function start(
  command: string,
  args: readonly string[],
  { input = "", ...place }: Place = {},
): Started {
  const child = spawn(command, args, place);
  child.stdin.on("error", () => {}); // it may end without reading its input
  child.stdin.end(input);
  const written = { stdout: "", stderr: "", both: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (chunk: string) => {
      written[stream] += chunk;
      written.both += chunk;
    });
  }
  const ended = once(child, "close").then(([code]) => {
    const { stdout, stderr } = written;
    return { code, stdout, stderr };
  });
  return { child, written, ended };
}

/** Runs a program to its end, and returns what it wrote. If it fails, the error has its output. */
export async function completed(
  command: string,
  args: readonly string[],
  place?: Place,
): Promise<Started["written"]> {
  const { written, ended } = start(command, args, place);
  const { code } = await ended;
  if (code === 0) return written;
  throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${written.both}`);
}

/** Why this machine cannot run a test that needs these programs, as the end of its title. Empty if it can. */
export function lacks(...programs: readonly string[]): string {
  const absent = programs.filter((program) => spawnSync(program, ["--version"]).error);
  return absent.length > 0 ? ` (needs ${absent.join(" and ")})` : "";
}

/** Waits until the standard output of a program has this text. Fails if it ends without it. */
export function until({ child, written, ended }: Started, text: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = text.exec(written.stdout);
      if (found) resolve(found);
    };
    look();
    child.stdout.on("data", look);
    const failed = () => reject(new Error(`the program ended without ${text}: ${written.both}`));
    ended.then(failed, reject);
  });
}
