import type { Slice } from "./load-worker.js";
import type { Stage } from "./stage.js";
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

/** Works for this many milliseconds in this round. Round 0 warms up. */
export type Side = (milliseconds: number, round: number) => Promise<Slice>;

/** The other side of a race: a server under the same load, or a rate. */
export interface Rival {
  readonly against: string;
  readonly least: number | null;
  readonly side: Side | number;
}

export interface Race {
  readonly name: string;
  readonly measured: string;
  /** Starts all sides. The stage stops them. */
  sides(stage: Stage): Promise<{ readonly ours: Side; readonly rivals: readonly Rival[] }>;
}

/** From where on the load generator may have been slower than what it loads. */
const busyLimit = 0.9;

/** Warms up all sides, and then lets them work in turn, so that a slow moment of the machine affects each of them. */
export function race({ name, measured, sides }: Race): Row {
  return {
    name,
    async measure(stage, { rounds, seconds }, showProgress) {
      const { ours, rivals } = await sides(stage);
      const [our, ...their] = [ours, ...rivals.map(({ side }) => side)].map((side) => ({
        side,
        speeds: [] as number[],
      }));
      for (let round = 0; round <= rounds; round++) {
        for (const { side, speeds } of [our, ...their].filter((one) => one !== undefined)) {
          if (typeof side === "number") {
            if (round > 0) speeds.push(side);
            continue;
          }
          const { answers, milliseconds, busy } = await side(seconds * 1000, round);
          if (round > 0) speeds.push((answers / milliseconds) * 1000);
          if (busy > busyLimit) showProgress("the load generator may be the limit");
        }
        const last = [our, ...their].map((one) => one?.speeds.at(-1) ?? 0);
        if (round > 0)
          showProgress(`round ${round} of ${rounds}: ${last.map(perSecond).join(", ")}`);
      }
      return rivals.map(({ against, least }, at) => ({
        measured,
        against,
        goal: least === null ? null : { least },
        shown: perSecond,
        ours: our?.speeds ?? [],
        theirs: their[at]?.speeds ?? [],
      }));
    },
  };
}

/** The table, a line for each contest. */
export function report(contests: readonly Contest[]): string {
  const headings = ["measured", "against", "goal", "ratio", "spread", "ours", "theirs", ""];
  return table(headings, contests.map(cells));
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
