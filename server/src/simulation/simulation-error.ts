/** A simulation cannot begin, or cannot go on. The message is one line that says why, or what to do. */
export class SimulationError extends Error {
  override readonly name: string = "SimulationError";
}
