import { spread } from "../statistics.js";
import { table, verdict } from "../table.js";

/** A figure of ours beside the same figure of somebody else, measured in turn. */
export interface Contest {
  readonly measured: string;
  readonly against: string;
  /** What the ratio, ours to theirs, must not fall below or go beyond. */
  readonly goal: { readonly least: number } | { readonly most: number };
  /** One for each round. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly shown: (figure: number) => string;
}

/** The table, a line for each contest. */
export function contestReport(contests: readonly Contest[]): string {
  const headings = ["measured", "against", "goal", "ratio", "spread", "ours", "theirs", ""];
  return table(headings, contests.map(cells));
}

function cells({ measured, against, goal, ours, theirs, shown }: Contest): string[] {
  const ratio = spread(ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN)));
  const met = "least" in goal ? ratio.median >= goal.least : ratio.median <= goal.most;
  return [
    measured,
    against,
    "least" in goal ? `≥ ${goal.least.toFixed(2)}` : `≤ ${goal.most.toFixed(2)}`,
    ratio.median.toFixed(2),
    `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
    shown(spread(ours).median),
    shown(spread(theirs).median),
    verdict(met),
  ];
}

export const perSecond = (figure: number) => `${Math.round(figure).toLocaleString("en-US")}/s`;
export const milliseconds = (figure: number) => `${figure.toFixed(2)} ms`;
export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(2)} MB`;
