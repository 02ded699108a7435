import { setImmediate } from "node:timers/promises";
import { businessDay } from "../rules/business-day.js";
import { maxBusinesses } from "./businesses.js";
import { view } from "./operation.js";

/** The waiting entries of today, in all queues of all businesses. */
export interface LinesLoad {
  readonly waiting: number;
  /** The longest wait of an entry, in seconds; 0 if none is waiting. */
  readonly longestSeconds: number;
}

/** The data of the metrics. */
export const monitoring = {
  /** Adds up the lines of all businesses, each on its own day. Entries that have waited since yesterday do not count. */
  linesLoad: view(async (tx): Promise<LinesLoad> => {
    const where = {};
    const found = await tx.list("businesses", { where, order: ["added"], limit: maxBusinesses });
    let [waiting, firstIssuedAt] = [0, tx.now];
    for (const { id: businessId, timezone } of found) {
      const line = await tx.line({ businessId, date: businessDay(tx.now, timezone) });
      waiting += line.length;
      for (const { issuedAt } of line) firstIssuedAt = Math.min(firstIssuedAt, issuedAt);
      await setImmediate(); // lets other requests run, because an embedded database responds without waiting
    }
    return { waiting, longestSeconds: (tx.now - firstIssuedAt) / 1000 };
  }),
};
