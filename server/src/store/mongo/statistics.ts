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

export function mongoMonitoring({ entries, businesses }: Database): MonitoringStore {
  const sums = { waiting: { $sum: "$waiting" }, firstIssuedAt: { $min: "$firstIssuedAt" } };
  return {
    linesByDay: (dates) =>
      repeatable(() =>
        entries.aggregate<ZoneDayLoad>([
          { $match: { status: "WAITING", date: { $in: [...dates] } } },
          {
            $group: {
              _id: { businessId: "$businessId", date: "$date" },
              waiting: { $sum: 1 },
              firstIssuedAt: { $min: "$issuedAt" },
            },
          },
          {
            $lookup: {
              from: businesses.collection.collectionName,
              localField: "_id.businessId",
              foreignField: "id",
              as: "business",
            },
          },
          { $unwind: "$business" }, // leaves out those of an import that is not committed
          { $group: { _id: { timezone: "$business.timezone", date: "$_id.date" }, ...sums } },
          {
            $project: {
              _id: 0,
              timezone: "$_id.timezone",
              date: "$_id.date",
              waiting: 1,
              firstIssuedAt: 1,
            },
          },
        ]),
      ),
  };
}
