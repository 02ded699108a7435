import type { ZoneDayLoad } from "../../rules/lines-load.js";

/** The data of the metrics. */
export interface MonitoringStore {
  /**
   * The number of waiting entries on these days and the time of the earliest, over all businesses, by time
   * zone and day, in no order. A zone and day without a waiting entry is left out.
   */
  linesByDay(dates: readonly string[]): Promise<readonly ZoneDayLoad[]>;
}
