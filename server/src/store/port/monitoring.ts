import type { ZoneDayLoad } from "../../rules/lines-load.js";

/** What metrics are computed from. */
export interface MonitoringStore {
  /**
   * How many people wait on these days, and since when, summed over all businesses by time zone and day,
   * in no order. A zone and day without a waiting entry is left out.
   */
  linesByDay(dates: readonly string[]): Promise<readonly ZoneDayLoad[]>;
}
