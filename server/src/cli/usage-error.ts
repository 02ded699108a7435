/** A command with wrong arguments. The message is one line that names the mistake; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
