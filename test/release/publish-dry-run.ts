import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "./workspace.js";

const run = promisify(execFile);

/** The result of a dry run of `npm publish`. */
export interface DryRun {
  readonly files: readonly string[];
  /** The warnings of npm, a line each. */
  readonly warnings: readonly string[];
}

/** Runs `npm publish --dry-run` for a package in the repository. `ignoreScripts` skips its scripts. */
export async function publishDryRun(
  folder: string,
  { ignoreScripts }: { readonly ignoreScripts: boolean },
): Promise<DryRun> {
  const args = ["publish", "--dry-run", "--json", ...(ignoreScripts ? ["--ignore-scripts"] : [])];
  const options = { cwd: join(repository, folder), maxBuffer: 1 << 26 };
  const { stdout, stderr } = await run("npm", args, options);
  return {
    files: filesIn(JSON.parse(stdout.slice(stdout.indexOf("{")))),
    warnings: warningsIn(stderr),
  };
}

interface PackReport {
  readonly files: readonly { readonly path: string }[];
}

/** npm 10 reports one package, npm 11 an object of packages by name. */
function filesIn(report: PackReport | Readonly<Record<string, PackReport>>): string[] {
  const [one] =
    "files" in report && Array.isArray(report.files)
      ? [report as PackReport]
      : Object.values(report);
  return (one as PackReport).files.map(({ path }) => path);
}

/** Warnings that do not concern the package: npm has no login here, or does not know a user setting. */
function warningsIn(text: string): string[] {
  const ofOthers = /requires you to be logged in|Unknown \w+ config/;
  return text.split("\n").filter((line) => /^npm (warn|error)/i.test(line) && !ofOthers.test(line));
}
