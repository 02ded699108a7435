import { CommanderError } from "commander";
import { createProgram } from "./program.js";
import { UsageError } from "./usage-error.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0); // the reader, such as `head`, has seen enough
  throw error;
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Tells a failure in one line; help and version have been printed and are none. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  process.stderr.write(`queue-api: ${lineOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** The message on one line, without what somebody may have typed in the wrong place: a key. */
function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll(/svc_live_[a-z0-9_]*/gi, "svc_live_…");
}
