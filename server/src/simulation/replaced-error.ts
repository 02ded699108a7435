import { SimulationError } from "./simulation-error.js";

/** A later simulation of the same business goes on in place of this one. */
export class ReplacedError extends SimulationError {
  override readonly name = "ReplacedError";

  constructor(options: ErrorOptions) {
    super("another simulation of the business has begun, so this one has ended", options);
  }
}
