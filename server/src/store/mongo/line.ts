import type { PipelineStage } from "mongoose";
import type { LineGroup } from "../../rules/day-counts.js";
import type { WaitingEntry } from "../../rules/line.js";
import type { DayKey, Last, QueueDayKey, Reads, WaitingCount } from "../port.js";
import type { CommandRunner } from "./command-runner.js";
import type { Database } from "./connection.js";

type Stage = Exclude<PipelineStage, PipelineStage.Merge | PipelineStage.Out>;

/** What is counted of the entries of a day. */
export function lineOf(
  { models: { entries } }: Database,
  commands: CommandRunner,
): Pick<Reads, "count" | "line" | "last" | "waiting"> {
  return {
    /** Reads the index `queue` only. */
    async count(day, read) {
      const number = "$tokenNumber";
      const isBefore = read ? { $lt: [number, read.first] } : true;
      const isRead = read && {
        $and: [
          { $eq: ["$status", "WAITING"] },
          { $gte: [number, read.first] },
          { $lte: [number, read.last] },
        ],
      };
      const counted = (value: object | number) => (isRead ? { $cond: [isRead, 0, value] } : value);
      const groups = await commands.repeatable(() =>
        entries.aggregate<{ _id: Omit<LineGroup, "entries" | "finishedMs"> } & LineGroup>([
          { $match: filterOf(day) },
          {
            $group: {
              _id: {
                queueId: "$queueId",
                status: "$status",
                priority: "$priority",
                workMinutes: "$workMinutes",
                isBefore,
              },
              entries: { $sum: counted(1) },
              finishedMs: { $sum: counted({ $subtract: ["$completedAt", "$startedAt"] }) },
            },
          },
        ]),
      );
      return groups
        .filter(({ entries }) => entries > 0)
        .map(({ _id, entries, finishedMs }) => ({ ..._id, entries, finishedMs }));
    },

    /** Reads the index `line` only. */
    async line(day) {
      const fields = { queueId: 1, priority: 1, tokenNumber: 1, workMinutes: 1 };
      const docs = await commands.repeatable(() =>
        entries
          .find({ ...filterOf(day), status: "WAITING" }, fields)
          .sort({ queueId: 1, priority: -1, tokenNumber: 1 })
          .batchSize(10_000)
          .lean(),
      );
      return docs.map(({ _id: id, ...doc }) => ({ id, ...doc }) as unknown as WaitingEntry);
    },

    /** One command reads the last key of each of four indexes. */
    async last({ queueId, ...day }) {
      const [first, ...others] = [
        highest({ ...day, queueId }, "tokenNumber", "number"),
        highestLeft({ ...day, queueId }),
        highest(day, "sequenceInDay", "sequence"),
        highest(day, "changedAt", "changedAt"),
      ] as const;
      const found = await commands.repeatable(() =>
        entries.aggregate<Partial<Last>>([
          ...first,
          ...others.map((pipeline) => ({ $unionWith: { coll: "entries", pipeline } })),
        ]),
      );
      const maximum = (field: keyof Last) => Math.max(0, ...found.map((one) => one[field] ?? 0));
      return {
        number: maximum("number"),
        sequence: maximum("sequence"),
        changedAt: maximum("changedAt"),
      };
    },

    /** Reads the index `line` only. */
    async waiting(dates) {
      const days = await commands.repeatable(() =>
        entries.aggregate<{ _id: Pick<WaitingCount, "businessId" | "date"> } & WaitingCount>([
          { $match: { date: { $in: [...dates] }, status: "WAITING" } },
          {
            $group: {
              _id: { businessId: "$businessId", date: "$date" },
              waiting: { $sum: 1 },
              firstIssuedAt: { $min: "$issuedAt" },
            },
          },
        ]),
      );
      return days.map(({ _id, waiting, firstIssuedAt }) => ({ ..._id, waiting, firstIssuedAt }));
    },
  };
}

/** Stages that find the highest value of a field, by the index that ends with it. */
function highest(filter: object, field: string, name: keyof Last): Stage[] {
  return [
    { $match: filter },
    { $sort: { [field]: -1 } },
    { $limit: 1 },
    { $project: { _id: 0, [name]: `$${field}` } },
  ];
}

/** Stages that find the highest number of the people who left a queue, by the index `left`. */
function highestLeft({ queueId, ...day }: QueueDayKey): Stage[] {
  const isInQueue = { "earlierTokens.queueId": queueId };
  return [
    { $match: { ...day, ...isInQueue } },
    { $unwind: "$earlierTokens" },
    { $match: isInQueue },
    { $group: { _id: null, number: { $max: "$earlierTokens.tokenNumber" } } },
  ];
}

function filterOf({ businessId, date, queueId }: DayKey) {
  return { businessId, date, ...(queueId !== undefined && { queueId }) };
}
