import type { Stage } from "../bench/stage.js";

/** Something that a row measures, beside what it should be. */
export interface Finding {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean;
  /** What was measured before there was a defence; null where that is not known. */
  readonly before?: string;
}

/** An attack on a server of its own. */
export interface Row {
  /** Chooses the row on the command line. */
  readonly name: string;
  readonly attack: string;
  /** About how long it takes, in seconds. */
  readonly seconds: number;
  /** Starts a server, attacks it, and says what was measured. The stage ends what was started. */
  run(stage: Stage, tell: (progress: string) => void): Promise<readonly Finding[]>;
}
