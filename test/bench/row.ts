import type { Stage } from "./stage.js";

/** The result of one side in one round. */
export interface Slice {
  /** The number of correct responses. A wrong one ends the benchmark. */
  readonly answers: number;
  readonly milliseconds: number;
  /** Share of the time that the load generator itself was busy, 0 to 1. */
  readonly generatorBusy: number;
}

/** One of the two sides of a comparison, usually a server under load. */
export interface Side {
  /** Works for this many milliseconds, after a lead-in that is not counted. */
  run(milliseconds: number): Promise<Slice>;
}

/** A line of the table. */
export interface Row {
  /** The name that selects the row on the command line. */
  readonly name: string;
  readonly measured: string;
  readonly against: string;
  /** The minimum ratio of responses per second, ours to theirs. */
  readonly goal: number;
  /** Starts both sides. The stage stops them. */
  sides(stage: Stage): Promise<{ readonly ours: Side; readonly theirs: Side }>;
}
