import type { DayLoad } from "../rules/lines-load.js";
import { view } from "./operation.js";

/** The data of the metrics. */
export const monitoring = {
  /**
   * The number of waiting entries of each business on these days, and the time of the earliest, in no order. A business and
   * day without a waiting entry is left out.
   */
  linesByDay: view(async (tx, dates: readonly string[]): Promise<readonly DayLoad[]> => {
    const counts = await tx.waiting(dates);
    const ids = [...new Set(counts.map(({ businessId }) => businessId))];
    const found = await tx.list("businesses", { where: { id: ids }, limit: ids.length });
    const zones = new Map(found.map(({ id, timezone }) => [id, timezone]));
    return counts.flatMap(({ businessId, ...load }) => {
      const timezone = zones.get(businessId);
      // of an import that is not committed, or of a business that was replaced
      return timezone === undefined ? [] : [{ ...load, timezone }];
    });
  }),
};
