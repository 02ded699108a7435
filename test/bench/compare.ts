import type { Stage } from "./stage.js";
import { type Spread, spread } from "./table.js";

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
  /** The minimum ratio of responses per second, ours to theirs; null if the figure is only reported. */
  readonly goal: number | null;
  /** Starts both sides, which work for this many rounds after one that warms up. The stage stops them. */
  sides(stage: Stage, rounds: number): Promise<{ readonly ours: Side; readonly theirs: Side }>;
}

/** The result of a row. */
export interface Comparison {
  readonly row: Pick<Row, "name" | "measured" | "against" | "goal">;
  /** The ratio of responses per second of each round, ours to theirs. */
  readonly ratio: Spread;
  readonly oursPerSecond: number;
  readonly theirsPerSecond: number;
  /** The highest load of a load generator, 0 to 1. Near 1, the generator was the limit. */
  readonly generatorBusy: number;
}

export interface Effort {
  readonly rounds: number;
  /** How long each side works in each round. */
  readonly seconds: number;
}

/** Called after each round with the responses per second of both sides. */
export type OnRound = (round: number, oursPerSecond: number, theirsPerSecond: number) => void;

/** Warms up both sides, and then lets them work in turn, so that a slow moment of the machine affects both. */
export async function compare(
  row: Comparison["row"],
  { ours, theirs }: { readonly ours: Side; readonly theirs: Side },
  { rounds, seconds }: Effort,
  onRound: OnRound,
): Promise<Comparison> {
  const milliseconds = seconds * 1000;
  await ours.run(milliseconds);
  await theirs.run(milliseconds);
  const slices: { ours: Slice; theirs: Slice }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const slice = { ours: await ours.run(milliseconds), theirs: await theirs.run(milliseconds) };
    slices.push(slice);
    onRound(round, perSecond(slice.ours), perSecond(slice.theirs));
  }
  const { name, measured, against, goal } = row;
  return {
    row: { name, measured, against, goal },
    ratio: spread(slices.map((slice) => perSecond(slice.ours) / perSecond(slice.theirs))),
    oursPerSecond: spread(slices.map((slice) => perSecond(slice.ours))).median,
    theirsPerSecond: spread(slices.map((slice) => perSecond(slice.theirs))).median,
    generatorBusy: Math.max(
      ...slices.flatMap((slice) => [slice.ours.generatorBusy, slice.theirs.generatorBusy]),
    ),
  };
}

function perSecond({ answers, milliseconds }: Slice): number {
  return (answers / milliseconds) * 1000;
}
