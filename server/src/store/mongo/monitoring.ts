import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { Database } from "./connection.js";

/**
 * The number of waiting entries and the time of the earliest, from the counts of each line and its first
 * entry.
 */
export async function linesByDay(
  { days, entries, businesses }: Database,
  dates: readonly string[],
): Promise<ZoneDayLoad[]> {
  return days.raw
    .aggregate<ZoneDayLoad>([
      { $match: { date: { $in: [...dates] } } },
      { $project: { businessId: 1, date: 1, line: { $objectToArray: "$lines" } } },
      { $unwind: "$line" },
      {
        $project: {
          businessId: 1,
          date: 1,
          queueId: "$line.k",
          waiting: { $add: [{ $sum: "$line.v.first.w" }, { $sum: "$line.v.others.w" }] },
        },
      },
      { $match: { waiting: { $gt: 0 } } },
      {
        $lookup: {
          from: entries.raw.collectionName,
          localField: "businessId",
          foreignField: "businessId",
          let: { queueId: "$queueId", date: "$date" },
          pipeline: [
            {
              $match: {
                status: "WAITING",
                $expr: {
                  $and: [{ $eq: ["$queueId", "$$queueId"] }, { $eq: ["$date", "$$date"] }],
                },
              },
            },
            { $sort: { tokenNumber: 1 } },
            { $limit: 1 },
            { $project: { _id: 0, issuedAt: 1 } },
          ],
          as: "first",
        },
      },
      {
        $lookup: {
          from: businesses.raw.collectionName,
          localField: "businessId",
          foreignField: "_id",
          as: "business",
        },
      },
      {
        $group: {
          _id: { timezone: { $first: "$business.timezone" }, date: "$date" },
          waiting: { $sum: "$waiting" },
          firstIssuedAt: { $min: { $first: "$first.issuedAt" } },
        },
      },
      {
        $project: {
          _id: 0,
          timezone: "$_id.timezone",
          date: "$_id.date",
          waiting: 1,
          firstIssuedAt: 1,
        },
      },
    ])
    .toArray();
}
