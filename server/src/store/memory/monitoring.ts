import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { MonitoringStore } from "../port/monitoring.js";
import type { Tables } from "./tables.js";

export function memoryMonitoring({ businesses, days }: Tables): MonitoringStore {
  return {
    async linesByDay(dates) {
      const loads = new Map<string, ZoneDayLoad>();
      for (const day of days.values()) {
        const line = [...day.values()].filter(({ status }) => status === "WAITING");
        const first = line.sort((a, b) => a.tokenNumber - b.tokenNumber)[0];
        if (!first || !dates.includes(first.date)) continue;
        const { date, issuedAt } = first;
        const timezone = businesses.get(first.businessId)?.timezone ?? null;
        const known = loads.get(`${timezone} ${date}`);
        const firstIssuedAt = Math.min(issuedAt, known?.firstIssuedAt ?? issuedAt);
        const waiting = line.length + (known?.waiting ?? 0);
        loads.set(`${timezone} ${date}`, { timezone, date, waiting, firstIssuedAt });
      }
      return [...loads.values()];
    },
  };
}
