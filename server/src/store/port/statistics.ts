import type { EntryTimes } from "../../rules/statistics.js";

/** Days from the first to the last, both included. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

/** What statistics are computed from. */
export interface StatisticsStore {
  /**
   * What statistics need of all entries of these days, of one queue or (null) of all, in no order. They
   * come in steps: other work runs in between, and a caller that stops reading ends the work.
   */
  entryTimes(
    businessId: string,
    days: DayRange,
    queueId: string | null,
  ): AsyncIterable<readonly EntryTimes[]>;
}
