import type { Stage } from "../bench/stage.js";

/** A measured value and its goal. */
export interface Finding {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean;
}

export type ShowProgress = (progress: string) => void;

/** An attack on a separate server. */
export interface Row {
  /** The name that selects the row on the command line. */
  readonly name: string;
  readonly attack: string;
  /** The approximate duration, in seconds. */
  readonly seconds: number;
  /** Starts a server, attacks it, and returns the measured values. The stage stops what it started. */
  run(stage: Stage, showProgress: ShowProgress): Promise<readonly Finding[]>;
}
