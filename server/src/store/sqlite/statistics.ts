import type { StatisticsStore } from "../port/statistics.js";
import type { Connection } from "./connection.js";
import { entries, timesColumns } from "./schema.js";
import type { Steps } from "./steps.js";

/** Reads the fields of entries that statistics need, in the order in which they were issued. */
export function prepareStatistics(db: Connection): Steps<StatisticsStore> {
  const read = entries.parts(db, ["date", "placeInDay"], {
    columns: timesColumns,
    and: "AND date <= ?",
  });

  return {
    entryTimes(businessId, { first, last }, inQueue, after) {
      const { items, next } = read(businessId, after ?? JSON.stringify([first, 0]), last);
      return {
        items: items
          .filter(({ queueId }) => inQueue === null || queueId === inQueue)
          .map(({ placeInDay, ...times }) => times),
        next,
      };
    },
  };
}
