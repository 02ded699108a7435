import { spread, table, verdict } from "./table.js";

/** A figure of ours beside the same figure of somebody else, measured in turn. */
export interface Contest {
  readonly measured: string;
  readonly against: string;
  /** What the ratio, ours to theirs, must not fall below or go beyond; null if it is only reported. */
  readonly goal: { readonly least: number } | { readonly most: number } | null;
  /** One for each round. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly shown: (figure: number) => string;
  /** What is to be said about it below the table. */
  readonly note?: string;
}

/** A figure of ours beside a limit that each round has to keep. */
export function limited(
  measured: string,
  ours: readonly number[],
  limit: number,
  shown: Contest["shown"],
): Contest {
  const theirs = ours.map(() => limit);
  return { measured, against: "the limit", goal: { most: 1 }, ours, theirs, shown };
}

/** The table, a line for each contest, and the notes below. */
export function report(contests: readonly Contest[]): string {
  const headings = ["measured", "against", "goal", "ratio", "spread", "ours", "theirs", ""];
  const notes = contests.flatMap(({ note }) => note ?? []);
  return [table(headings, contests.map(cells)), ...notes].join("\n");
}

function cells({ measured, against, goal, ours, theirs, shown }: Contest): string[] {
  const ratio = spread(ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN)));
  const [sign, bound, met] =
    goal === null
      ? ["", "", null]
      : "least" in goal
        ? ["≥ ", goal.least.toFixed(2), ratio.median >= goal.least]
        : ["≤ ", goal.most.toFixed(2), ratio.median <= goal.most];
  return [
    measured,
    against,
    `${sign}${bound}`,
    ratio.median.toFixed(2),
    `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
    shown(spread(ours).median),
    shown(spread(theirs).median),
    met === null ? "" : verdict(met),
  ];
}

export const perSecond = (figure: number) => `${Math.round(figure).toLocaleString("en-US")}/s`;
export const milliseconds = (figure: number) => `${figure.toFixed(2)} ms`;
export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(2)} MB`;
