/** The command was called in a way it cannot be. One line that names what is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
