/** A correct command that cannot do its work. The message is one line that says what to do; exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A command with wrong arguments. The message is one line that names the mistake; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
