import { type Contest, perSecond } from "./report.js";
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

export interface Effort {
  readonly rounds: number;
  /** How long each side works in each round, if the row does not decide it. */
  readonly seconds: number;
}

/** A measurement, which may fill several lines of the table. */
export interface Row {
  /** The name that selects the row on the command line. */
  readonly name: string;
  measure(stage: Stage, effort: Effort, showProgress: (text: string) => void): Promise<Contest[]>;
}

/** What a race compares: the responses per second of two sides. */
export interface Race {
  readonly name: string;
  readonly measured: string;
  readonly against: string;
  /** The minimum ratio of responses per second, ours to theirs; null if the figure is only reported. */
  readonly goal: number | null;
  /** Starts both sides, which work for this many rounds after one that warms up. The stage stops them. */
  sides(stage: Stage, rounds: number): Promise<{ readonly ours: Side; readonly theirs: Side }>;
}

/** From where on the load generator may have been slower than what it loads. */
const generatorLimit = 0.9;

/** Warms up both sides, and then lets them work in turn, so that a slow moment of the machine affects both. */
export function race({ name, measured, against, goal, sides }: Race): Row {
  return {
    name,
    async measure(stage, { rounds, seconds }, showProgress) {
      const { ours, theirs } = await sides(stage, rounds);
      const speeds = { ours: [] as number[], theirs: [] as number[] };
      let busiest = 0;
      const turn = async (side: Side) => {
        const { answers, milliseconds, generatorBusy } = await side.run(seconds * 1000);
        busiest = Math.max(busiest, generatorBusy);
        return (answers / milliseconds) * 1000;
      };
      for (let round = 0; round <= rounds; round++) {
        const [our, their] = [await turn(ours), await turn(theirs)];
        if (round === 0) continue; // it warms up
        speeds.ours.push(our);
        speeds.theirs.push(their);
        const figures = `ours ${perSecond(our)}, theirs ${perSecond(their)}`;
        showProgress(`round ${round} of ${rounds}: ${figures}`);
      }
      const share = Math.round(busiest * 100);
      const busy = `the load generator was busy ${share} % of the time and may be the limit.`;
      return [
        {
          ...{ measured, against, ...speeds, shown: perSecond },
          goal: goal === null ? null : { least: goal },
          ...(busiest > generatorLimit && { note: `${name}: ${busy}` }),
        },
      ];
    },
  };
}
