import type { Entry } from "../../rules/records.js";
import type { EntryTimes } from "../../rules/statistics.js";
import type { StatisticsStore } from "../port/statistics.js";
import { ownedBy, type Tables } from "./tables.js";

/** The maximum number of entries that one step returns. */
const timesStep = 500;

export function memoryStatistics({ entries }: Tables): StatisticsStore {
  return {
    async entryTimes(businessId, { first, last }, inQueue, after) {
      const found = ownedBy(businessId, entries).filter(
        ({ date, queueId }) =>
          date >= first && date <= last && (inQueue === null || queueId === inQueue),
      );
      const start = Number(after);
      const end = start + timesStep;
      return {
        items: found.slice(start, end).map(timesOf),
        next: end < found.length ? `${end}` : null,
      };
    },
  };
}

function timesOf(entry: Entry): EntryTimes {
  const { queueId, serviceId, date, status, issuedAt, startedAt, completedAt } = entry;
  const { transferredTo, transferredFrom } = entry;
  const times = { issuedAt, startedAt, completedAt };
  return { queueId, serviceId, date, status, ...times, transferredTo, transferredFrom };
}
