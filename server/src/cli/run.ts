import { CommanderError } from "commander";
import { OwnerError } from "../owner/owner-error.js";
import { messageWithHint, UsageError } from "./command-errors.js";
import { createProgram } from "./program.js";

/**
 * Runs a command line: the arguments after the command's name. Prints an error as one line on standard error.
 *
 * @returns The exit code: 0 for success, 2 for wrong usage, 1 for any other error.
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Help and version are already printed and are not errors.
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`queue-api: ${lineOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The message on one line. Masks API keys, which a user may have typed in the wrong place. */
function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (error instanceof OwnerError ? messageWithHint(error) : message)
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll(/svc_live_[a-z0-9_]*/gi, "svc_live_…");
}
