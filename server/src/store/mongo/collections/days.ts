import { Schema } from "mongoose";
import type { LineTotals } from "../line.js";

/** What one process said last of a line. */
export interface OpenChanges {
  /** How many changes it had under way. */
  readonly n: number;
  /** Which of its reports that was. */
  readonly turn: number;
  readonly at: number;
}

/**
 * A line as its day's document keeps it: what is counted, and how far the counting can be trusted. A
 * change is counted here before it is done to its entry, and said to be over afterwards.
 */
export interface LineDoc extends LineTotals {
  /** The highest number that was given. */
  readonly last: number;
  /** Grows with each write of the line. */
  readonly revision: number;
  /**
   * Names the write that made this version. No other write has the name, not even one of a history that was
   * rolled back, or of a business that was replaced. Absent where an earlier version of this program made the line.
   */
  readonly stamp?: string;
  /** Grows with each recount. */
  readonly epoch: number;
  /** Whether something ended in a way that needs a recount. */
  readonly doubt: boolean;
  /**
   * Until when a command may still arrive that its sender has given up on: then the line is counted once
   * more. 0, or absent in documents of an earlier version, when there is none.
   */
  readonly lateUntil?: number;
  /** What each process has under way. */
  readonly open: Readonly<Record<string, OpenChanges>>;
}

/** A business's day: the tokens it created, and the lines of its queues by queue id. */
export interface DayDoc {
  readonly _id: string;
  readonly businessId: string;
  readonly date: string;
  readonly created: number;
  readonly lines: Readonly<Record<string, LineDoc>>;
}

export const daySchema = new Schema<DayDoc>(
  {
    _id: String,
    businessId: String,
    date: String,
    created: Number,
    lines: Schema.Types.Mixed,
  },
  { collection: "days" },
)
  .index({ businessId: 1, date: 1 }, { name: "business" })
  .index({ date: 1 }, { name: "date" });

export function dayId(businessId: string, date: string): string {
  return `${businessId}:${date}`;
}

/** Finds a day; by its business as well, which is what a cluster is sharded by. */
export function dayOf({ businessId, date }: Pick<DayDoc, "businessId" | "date">) {
  return { _id: dayId(businessId, date), businessId };
}
