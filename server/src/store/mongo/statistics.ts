import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { EntryTimes } from "../../rules/statistics.js";
import type { Part } from "../port/page.js";
import type { MonitoringStore, StatisticsStore } from "../port/statistics.js";
import { type Database, readAll } from "./connection.js";
import type { EntryDoc } from "./documents.js";
import { repeatable } from "./guard.js";

/** The maximum number of records in one part of a long result. */
export const partSize = 2_000;

/**
 * Reads a part of the entries of a business by day and place in the day, which is the order of the index
 * `place`. The entries must not be removed meanwhile.
 */
export async function entriesInParts(
  { entries }: Database,
  filter: object,
  fields: object,
  after: string | null,
): Promise<Part<EntryDoc>> {
  const [date = "", place = "0"] = after?.split(" ") ?? [];
  const rest = [{ date: { $gt: date } }, { date, placeInDay: { $gt: Number(place) } }];
  const items = await readAll(
    entries,
    { $and: [filter, after === null ? {} : { $or: rest }] },
    { fields, sort: { date: 1, placeInDay: 1 }, limit: partSize },
  );
  const last = items.length === partSize ? items.at(-1) : undefined;
  return { items, next: last ? `${last.date} ${last.placeInDay}` : null };
}

const times = {
  ...{ _id: 0, queueId: 1, serviceId: 1, date: 1, status: 1 },
  ...{ issuedAt: 1, startedAt: 1, completedAt: 1, placeInDay: 1 },
};

export function mongoStatistics(db: Database): StatisticsStore {
  return {
    async entryTimes(businessId, { first, last }, queueId, after) {
      const days = { businessId, date: { $gte: first, $lte: last } };
      const filter = { ...days, ...(queueId !== null && { queueId }) };
      const { items, next } = await entriesInParts(db, filter, times, after);
      return { items: items.map(({ placeInDay, ...entry }): EntryTimes => entry), next };
    },
  };
}

interface Waiting {
  readonly _id: { readonly businessId: string; readonly date: string };
  readonly waiting: number;
  readonly firstIssuedAt: number;
}

export function mongoMonitoring({ entries, businesses }: Database): MonitoringStore {
  return {
    async linesByDay(dates) {
      const found = await repeatable(() =>
        entries.aggregate<Waiting>([
          { $match: { status: "WAITING", date: { $in: [...dates] } } },
          {
            $group: {
              _id: { businessId: "$businessId", date: "$date" },
              waiting: { $sum: 1 },
              firstIssuedAt: { $min: "$issuedAt" },
            },
          },
        ]),
      );
      const ids = [...new Set(found.map(({ _id }) => _id.businessId))];
      const zones = await readAll(
        businesses,
        { id: { $in: ids } },
        { fields: { id: 1, timezone: 1 } },
      );
      const zoneOf = new Map(zones.map(({ id, timezone }) => [id, timezone]));
      const loads = new Map<string, ZoneDayLoad>();
      for (const { _id, waiting, firstIssuedAt } of found) {
        const timezone = zoneOf.get(_id.businessId);
        if (timezone === undefined) continue; // of an import that is not committed
        const name = `${timezone} ${_id.date}`;
        const known = loads.get(name);
        loads.set(name, {
          timezone,
          date: _id.date,
          waiting: waiting + (known?.waiting ?? 0),
          firstIssuedAt: Math.min(firstIssuedAt, known?.firstIssuedAt ?? firstIssuedAt),
        });
      }
      return [...loads.values()];
    },
  };
}
