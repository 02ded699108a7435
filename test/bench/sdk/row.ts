import type { Stage } from "../stage.js";
import type { Contest } from "./contest.js";

/** A measurement of the SDK, which may fill several lines of the table. */
export interface SdkRow {
  /** Chooses the row on the command line. */
  readonly name: string;
  /** Lets both sides work in turn, so many rounds. */
  measure(stage: Stage, rounds: number): Promise<Contest[]>;
}
