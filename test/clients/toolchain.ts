import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Why this machine cannot test a language, or null. Also prints the reason. */
export function missing(
  language: string,
  programs: Readonly<Record<string, string>>,
): string | null {
  const absent = Object.entries(programs).filter(([program, versionFlag]) => {
    try {
      execFileSync(program, [versionFlag], { stdio: "ignore" });
      return false;
    } catch {
      return true;
    }
  });
  if (absent.length === 0) return null;
  const reason = `no ${absent.map(([program]) => program).join(", ")} here`;
  console.warn(`SKIPPED ${language}: ${reason}`);
  return reason;
}

/** The path of a file or folder of the tests. */
export function beside(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Runs a program to its end and returns its output. An error contains the whole output. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
    return (await exec(command, [...args], options)).stdout;
  } catch (error) {
    const { message, stdout = "" } = error as Error & { stdout?: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}
