import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { Entry } from "../../rules/records.js";
import type { EntryTimes } from "../../rules/statistics.js";
import { importPart } from "../port/imports.js";
import type { MonitoringStore, StatisticsStore } from "../port/statistics.js";
import type { Tables } from "./tables.js";

export function memoryStatistics({ entries }: Tables): StatisticsStore {
  return {
    async entryTimes(businessId, { first, last }, inQueue, after) {
      const isAsked = ({ date, queueId }: Entry) =>
        date >= first && date <= last && (inQueue === null || queueId === inQueue);
      const rest = entries.all(businessId).filter(isAsked).slice(Number(after));
      const next = rest.length > importPart ? `${Number(after) + importPart}` : null;
      return { items: rest.slice(0, importPart).map(timesOf), next };
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
