import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { Entry } from "../../rules/records.js";
import type { EntryTimes } from "../../rules/statistics.js";
import type { MonitoringStore, StatisticsStore } from "../port/statistics.js";
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
  return { queueId, serviceId, date, status, issuedAt, startedAt, completedAt };
}

export function memoryMonitoring({ businesses, entries }: Tables): MonitoringStore {
  return {
    async linesByDay(dates) {
      const loads = new Map<string, ZoneDayLoad>();
      for (const { businessId, date, status, issuedAt } of entries.values()) {
        if (status !== "WAITING" || !dates.includes(date)) continue;
        const timezone = businesses.get(businessId)?.timezone ?? null;
        const known = loads.get(`${timezone} ${date}`);
        const firstIssuedAt = Math.min(issuedAt, known?.firstIssuedAt ?? issuedAt);
        const waiting = 1 + (known?.waiting ?? 0);
        loads.set(`${timezone} ${date}`, { timezone, date, waiting, firstIssuedAt });
      }
      return [...loads.values()];
    },
  };
}
