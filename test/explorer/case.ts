/** An action of one participant. */
export type Act = {
  readonly name: string;
  /** Names of acts that must end before this one starts. */
  readonly after?: readonly string[];
} & (
  | { readonly does: "create"; readonly key: string; readonly at: number }
  | { readonly does: "cancel"; readonly of: string; readonly at: number }
  | { readonly does: "read"; readonly of: string; readonly at: number }
  | { readonly does: "undo"; readonly of: string }
  /** Moves a person to the other queue, or takes the move back. */
  | { readonly does: "transfer" | "return"; readonly of: string; readonly at: number }
  | { readonly does: "pause" | "resume" | "call" }
);

/** A small situation with its acts and faults. */
export interface Case {
  readonly name: string;
  readonly acts: readonly Act[];
  /** The maximum number of faults. */
  readonly faults: number;
  /** How many times the clock can move past the end of every lease. */
  readonly ticks: number;
  /** The number of waiting entries at the start. Acts refer to them as `first`, `second`, `third`. */
  readonly waiting?: number;
  readonly dailyTokenLimit?: number;
}
