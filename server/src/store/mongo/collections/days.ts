import { Schema } from "mongoose";
import type { LineTotals } from "../line.js";

/** The last report of one process on a line. */
export interface OpenChanges {
  /** The number of its pending changes. */
  readonly n: number;
  /** The number of the report. */
  readonly turn: number;
  readonly at: number;
}

/**
 * A line as the day's document stores it: the totals, and how reliable they are. A change is counted here
 * before it is made to its entry, and settled afterwards.
 */
export interface LineDoc extends LineTotals {
  /** The highest token number that was assigned. */
  readonly last: number;
  /** Grows with each write of the line. */
  readonly revision: number;
  /**
   * Identifies the write that made this version. No other write has the same stamp, not even one in a history
   * that was rolled back, or of a business that was replaced. Absent if an earlier version of this program
   * wrote the line.
   */
  readonly stamp?: string;
  /** Grows with each recount. */
  readonly epoch: number;
  /** Whether a change ended in a way that requires a recount. */
  readonly doubt: boolean;
  /**
   * Until when a command may still arrive that its sender has given up on. After that time the line is
   * recounted once more. 0 if there is none; absent in documents of earlier versions.
   */
  readonly lateUntil?: number;
  /** The pending changes of each process. */
  readonly open: Readonly<Record<string, OpenChanges>>;
}

/** A day of a business: the number of tokens it created, and its lines by queue id. */
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

/** A filter for a day. It includes the business, which is the shard key of a cluster. */
export function dayOf({ businessId, date }: Pick<DayDoc, "businessId" | "date">) {
  return { _id: dayId(businessId, date), businessId };
}
