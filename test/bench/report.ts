import type { Comparison } from "./compare.js";
import { spread, table, verdict } from "./table.js";

const headings = ["measured", "against", "goal", "ratio", "spread", "ours/s", "theirs/s", ""];

/** From where on the load generator may have been slower than what it loads. */
const generatorLimit = 0.9;

/** The table, a line for each comparison, and what is to be said about it below. */
export function report(comparisons: readonly Comparison[]): string {
  const notes = comparisons
    .filter(({ generatorBusy }) => generatorBusy > generatorLimit)
    .map(({ row, generatorBusy }) => {
      const share = Math.round(generatorBusy * 100);
      return `${row.name}: the load generator was busy ${share} % of the time and may be the limit.`;
    });
  return [table(headings, comparisons.map(cells)), ...notes].join("\n");
}

function cells({ row, ratio, oursPerSecond, theirsPerSecond }: Comparison): string[] {
  return [
    row.measured,
    row.against,
    row.goal === null ? "" : `≥ ${row.goal.toFixed(2)}`,
    ratio.median.toFixed(2),
    `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
    count(oursPerSecond),
    count(theirsPerSecond),
    row.goal === null ? "" : verdict(ratio.median >= row.goal),
  ];
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

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
  return table(headings, contests.map(contestCells));
}

function contestCells({ measured, against, goal, ours, theirs, shown }: Contest): string[] {
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
