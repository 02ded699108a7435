import type { ZoneDayLoad } from "../rules/lines-load.js";
import { view } from "./operation.js";

/** The data of the metrics. */
export const monitoring = {
  /**
   * The number of waiting entries on these days and the time of the earliest, over all businesses, by time zone and day,
   * in no order. A zone and day without a waiting entry is left out.
   */
  linesByDay: view(async (tx, dates: readonly string[]): Promise<readonly ZoneDayLoad[]> => {
    const counts = await tx.waiting(dates);
    const loads = new Map<string, ZoneDayLoad>();
    const ids = [...new Set(counts.map(({ businessId }) => businessId))];
    const found = await tx.list("businesses", { where: { id: ids }, limit: ids.length });
    const zones = new Map(found.map(({ id, timezone }) => [id, timezone]));
    for (const { businessId, date, waiting, firstIssuedAt } of counts) {
      const timezone = zones.get(businessId);
      if (timezone === undefined) continue; // of an import that is not committed, or of a business that was replaced
      const known = loads.get(`${timezone} ${date}`);
      loads.set(`${timezone} ${date}`, {
        timezone,
        date,
        waiting: waiting + (known?.waiting ?? 0),
        firstIssuedAt: Math.min(firstIssuedAt, known?.firstIssuedAt ?? firstIssuedAt),
      });
    }
    return [...loads.values()];
  }),
};
