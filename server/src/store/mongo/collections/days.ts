import { Schema } from "mongoose";
import type { LineTotals } from "../line.js";

/**
 * A line as its day's document keeps it: what is counted, and how far the counting can be trusted. A
 * change is begun here before it is done to its entry, and ended afterwards.
 */
export interface LineDoc extends LineTotals {
  /** The highest number that was given. */
  readonly last: number;
  /** Changes that were counted, and those of them that are known to be done. */
  readonly begun: number;
  readonly ended: number;
  /** Grows with each recount. */
  readonly epoch: number;
  /** Whether something ended in a way that needs a recount. */
  readonly doubt: boolean;
  /** When a change was last begun. */
  readonly at: number;
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
).index({ businessId: 1, date: 1 }, { name: "business" });

export function dayId(businessId: string, date: string): string {
  return `${businessId}:${date}`;
}
