import type { Stage } from "./stage.js";

/** What one side did in one round. */
export interface Slice {
  /** Correct answers; a wrong one ends the bench. */
  readonly answers: number;
  readonly milliseconds: number;
  /** Share of the time that the load generator itself was busy, 0 to 1. */
  readonly generatorBusy: number;
}

/** One of the two things that are compared: a server under load, as a rule. */
export interface Side {
  /** Works for so many milliseconds, after a lead-in that is not counted. */
  run(milliseconds: number): Promise<Slice>;
}

/** A line of the table. */
export interface Row {
  /** Chooses the row on the command line. */
  readonly name: string;
  readonly measured: string;
  readonly against: string;
  /** Least ratio of answers a second, ours to theirs. */
  readonly goal: number;
  /** Starts what is compared; the stage stops it. */
  sides(stage: Stage): Promise<{ readonly ours: Side; readonly theirs: Side }>;
}
