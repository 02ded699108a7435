import type { EntryTimes } from "../../rules/statistics.js";
import type { Part } from "./page.js";

/** Days from the first to the last, both included. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

/** What statistics are computed from. */
export interface StatisticsStore {
  /**
   * What statistics need of all entries of these days, of one queue or (null) of all, in no order: the part
   * after a `next`, or (null) the first one.
   */
  entryTimes(
    businessId: string,
    days: DayRange,
    queueId: string | null,
    after: string | null,
  ): Promise<Part<EntryTimes>>;
}
