import { CommanderError } from "commander";
import { OwnerError } from "../owner/owner-error.js";
import { messageWithHint } from "./owner-hints.js";
import { createProgram } from "./program.js";
import { UsageError } from "./usage-error.js";

/**
 * Runs a command line, which is what follows the command's name, to its end. A failure is told in one
 * line on standard error.
 * @returns The exit code: 0 when it was done, 2 for wrong usage, 1 for any other failure.
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  }
}

/** Tells a failure in one line; help and version have been printed and are none. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  process.stderr.write(`queue-api: ${lineOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

function messageOf(error: unknown): string {
  if (error instanceof OwnerError) return messageWithHint(error);
  return error instanceof Error ? error.message : String(error);
}

/** The message on one line, without what somebody may have typed in the wrong place: a key. */
function lineOf(error: unknown): string {
  return messageOf(error)
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll(/svc_live_[a-z0-9_]*/gi, "svc_live_…");
}
