/** What one of those who take part does. */
export type Act = {
  readonly name: string;
  /** Names of acts that must be over before. */
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

/** A small situation with all that can happen in it. */
export interface Case {
  readonly name: string;
  readonly acts: readonly Act[];
  /** How many faults may happen. */
  readonly faults: number;
  /** How many times the clock may move past the end of every lease. */
  readonly ticks: number;
  /** Entries that wait before it begins; acts know them as `first`, `second`, `third`. */
  readonly waiting?: number;
  readonly dailyTokenLimit?: number;
}
