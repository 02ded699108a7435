import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { DayRange, EntryTimes } from "../../rules/statistics.js";
import type { Part } from "./page.js";

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

/** The data of the metrics. */
export interface MonitoringStore {
  /**
   * The number of waiting entries on these days and the time of the earliest, over all businesses, by time
   * zone and day, in no order. A zone and day without a waiting entry is left out.
   */
  linesByDay(dates: readonly string[]): Promise<readonly ZoneDayLoad[]>;
}
