/** A simulation cannot begin, or cannot go on. The message is one line that says what to do. */
export class SimulationError extends Error {
  override readonly name = "SimulationError";
}
