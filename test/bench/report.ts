import type { Comparison } from "./compare.js";
import { table, verdict } from "./table.js";

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
    `≥ ${row.goal.toFixed(2)}`,
    ratio.median.toFixed(2),
    `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
    count(oursPerSecond),
    count(theirsPerSecond),
    verdict(ratio.median >= row.goal),
  ];
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
