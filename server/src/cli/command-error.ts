/** A command that was called rightly and cannot do its work. One line that says what to do; exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
