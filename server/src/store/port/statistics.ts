import type { EntryTimes } from "../../rules/statistics.js";
import type { Part } from "./page.js";

/** Days from the first to the last, inclusive. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

/** The data of the statistics. */
export interface StatisticsStore {
  /**
   * The fields that statistics need, of all entries of these days, of one queue or (null) of all, in no
   * order: the part at a `next`, or (null) the first one.
   */
  entryTimes(
    businessId: string,
    days: DayRange,
    queueId: string | null,
    after: string | null,
  ): Promise<Part<EntryTimes>>;
}
