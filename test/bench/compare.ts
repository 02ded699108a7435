import { cpus } from "node:os";
import type { Stage } from "./stage.js";

/** Measures one figure. It works for this many milliseconds if nothing else ends it. Round 0 warms up. */
export type Side = (milliseconds: number, round: number) => Promise<number>;

export interface Rival {
  readonly against: string;
  /** What the ratio, ours to theirs, must not fall below. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly side: Side;
}

/** A measurement, with a line of the table for each rival. */
export interface Row {
  /** The name that selects the row on the command line. */
  readonly name: string;
  readonly measured: string;
  /** Default: a rate. */
  readonly shown?: (figure: number) => string;
  /** Starts all sides. The stage stops them. */
  sides(stage: Stage): Promise<{ readonly ours: Side; readonly rivals: readonly Rival[] }>;
}

export interface Effort {
  readonly rounds: number;
  /** How long each side works in each round, if the row does not decide it. */
  readonly seconds: number;
}

/** Warms up all sides, and then lets them work in turn, so that a slow moment of the machine affects each of them. */
export async function compare(
  { measured, shown = perSecond, sides }: Row,
  stage: Stage,
  { rounds, seconds }: Effort,
  showProgress: (text: string) => void,
): Promise<string[][]> {
  const { ours, rivals } = await sides(stage);
  const all = [ours, ...rivals.map(({ side }) => side)];
  const figures: number[][] = [];
  for (let round = 0; round <= rounds; round++) {
    const ofRound: number[] = [];
    for (const side of all) ofRound.push(await side(seconds * 1000, round));
    if (round === 0) continue;
    figures.push(ofRound);
    showProgress(`round ${round} of ${rounds}: ${ofRound.map(shown).join(", ")}`);
  }
  const ofSide = (at: number) => figures.map((ofRound) => ofRound[at] ?? Number.NaN);
  return rivals.map(({ against, min, max }, at) => {
    const [our, their] = [ofSide(0), ofSide(at + 1)];
    const ratios = our.map((figure, round) => figure / (their[round] ?? Number.NaN));
    const ratio = median(ratios);
    const isMet = ratio >= (min ?? 0) && ratio <= (max ?? Number.POSITIVE_INFINITY);
    const goals = [min && `≥ ${min.toFixed(2)}`, max && `≤ ${max.toFixed(2)}`];
    const goal = goals.filter(Boolean).join();
    return [
      measured,
      against,
      goal,
      ratio.toFixed(2),
      `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      shown(median(our)),
      shown(median(their)),
      goal === "" ? "" : verdict(isMet),
    ];
  });
}

export function table(lines: readonly string[][]): string {
  const headings = ["measured", "against", "goal", "ratio", "spread", "ours", "theirs", ""];
  const all = [headings, ...lines];
  const widths = headings.map((_, at) => Math.max(...all.map((cells) => cells[at]?.length ?? 0)));
  const padded = all.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)));
  return padded.map((cells) => cells.join("  ").trimEnd()).join("\n");
}

export const verdict = (met: boolean) => (met ? "✓ met" : "✗ MISSED");

/** The median. For an even number of values, the mean of the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

export function machine(): string {
  const [first, ...others] = cpus();
  return `Node ${process.versions.node}, ${others.length + 1} × ${first?.model.trim() ?? "unknown processor"}`;
}

const perSecond = (figure: number) => `${Math.round(figure).toLocaleString("en-US")}/s`;
export const milliseconds = (figure: number) => `${figure.toFixed(2)} ms`;
export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(2)} MB`;
